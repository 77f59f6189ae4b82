/** A project one of whose models holds rows back, over a table of another program: what tests of releases begin with. */
import type { HeldSelection } from '../../src/domain/quarantine.ts';
import { physicalRelation, quarantineRelation, relationSql } from '../../src/domain/relation.ts';
import type { Run, RunEvent } from '../../src/domain/run.ts';
import type { RangeSet } from '../../src/foundation/time/ranges.ts';
import { discardQuarantine, releaseQuarantine } from '../../src/operations/change/settle-quarantine.ts';
import type { OpenedWorld } from '../../src/operations/open-world.ts';
import type { World } from '../../src/runtime/world.ts';
import {
  DAY_ZERO,
  type Models,
  naming,
  projectOf,
  type TestProject,
  type TestWorld,
} from './execution-support.ts';

export const SOURCE = 'CREATE SCHEMA x; CREATE TABLE x.src (d DATE, i INT, c TEXT)';

/** s.m holds back rows whose i is not above `least`; `models` read it. */
export function heldProject(
  kind: string,
  {
    least = 0,
    audits = '',
    models = {},
    query = 'SELECT d, i, c FROM x.src',
    audit = `SELECT * FROM @this_model AS t WHERE t.i <= ${least}`,
    files = {},
  }: {
    readonly least?: number;
    readonly audits?: string;
    readonly models?: Models;
    readonly query?: string;
    readonly audit?: string;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<TestProject> {
  const [name = kind, ...properties] = kind.split('; ');
  return projectOf(
    { 's.m': [name, query, [...properties, `audits (positive${audits})`].join(', ')], ...models },
    {
      'audits/a.sql': `AUDIT (name positive, on_failure quarantine);\n${audit};\n`,
      'external_models.yaml': '- name: x.src\n  columns:\n    d: DATE\n    i: INT\n    c: TEXT\n',
      ...files,
    },
  );
}

export async function fillSource(world: World, rows: string): Promise<void> {
  await world.engine.write([], (session) => session.execute(`INSERT INTO x.src VALUES ${rows}`));
}

export interface Settling {
  readonly selection?: HeldSelection;
  readonly isAccepted?: true;
  readonly reason?: string;
  readonly model?: string;
  readonly environment?: string;
  readonly isAll?: boolean;
}

/** Releases or discards as a command does; all rows unless some are named. */
export async function settled(
  world: World,
  decision: 'release' | 'discard',
  { selection = {}, model = 's.m', environment = 'prod', ...more }: Settling = {},
): Promise<{ readonly run: Run; readonly events: readonly RunEvent[] }> {
  const opened = { ...world, naming } as unknown as OpenedWorld;
  const act = decision === 'release' ? releaseQuarantine : discardQuarantine;
  const isAll = Object.keys(selection).length === 0;
  const request = { environment, model, executionTime: DAY_ZERO + 100 * 86_400_000 };
  const generator = act(
    opened,
    { ...request, isAll, selection, ...more },
    { who: 'mara', waitMs: 20_000, permits: () => true },
  );
  const events: RunEvent[] = [];
  for (;;) {
    const next = await generator.next();
    if (next.done === true) return { run: next.value, events };
    events.push(next.value);
  }
}

/** What is published, held back and decided, with what state and warehouse say of the table. */
export async function whereRowsAre(world: TestWorld, { entries }: TestProject, model = 's.m') {
  const { version = '' } = entries.find((entry) => entry.model === model) ?? {};
  const id = { model, version };
  const sql = (relation: Parameters<typeof relationSql>[0]): string => relationSql(relation, 'duckdb');
  const orNone = (query: string): Promise<readonly string[]> => world.rows(query).catch(() => []);
  const [ledger] = await world.engine.ledger({ tables: [id] });
  return {
    published: await world.rows(`SELECT i, c FROM ${sql(physicalRelation(id))} ORDER BY ALL`),
    held: await orNone(`SELECT i, c, plinth__audits FROM ${sql(quarantineRelation(id))} ORDER BY ALL`),
    decided: await orNone(
      `SELECT decision, sum(rows), sum(accepted_rows), max(reason), max(who) FROM ${sql(physicalRelation({ model, version: `${version}__decisions` }))} GROUP BY decision, run_id ORDER BY ALL`,
    ),
    dataVersion: ledger?.dataVersion,
    filled: ledger?.filled as RangeSet,
  };
}
