import type { ProfileQuery } from '../../compiler/quality/profile-queries.ts';
import { profileSteps } from '../../compiler/quality/profile-steps.ts';
import { momentOf } from '../../domain/clock.ts';
import { versionOf } from '../../domain/data-version.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { QualityReader } from '../../domain/quality-store.ts';
import type { Relation, TableId } from '../../domain/relation.ts';
import type { TableProfile } from '../../domain/table-profile.ts';
import type { WorldReader } from '../world.ts';
import { readAnswer } from './read-answer.ts';

/** A table to profile. */
export interface ProfiledTable {
  readonly environment: string;
  readonly model: string;
  readonly relation: Relation;
  readonly columns: readonly AnswerColumn[];
  /** Tables that its rows are made of; absent: they may change without a write of Plinth. */
  readonly sources?: readonly TableId[];
}

/** Data that changes between two queries: they are asked again, this often. */
const TRIES = 3;
const ROWS_MAX = 10_000;
/** Profiles looked through at a time for one of other data. */
const PAGE = 20;
/** What is not better when fewer measurements are asked for at a time. */
const ENDS: ReadonlySet<string> = new Set(['engine.timed-out', 'engine.lost']);

/** What a table looks like, all of one state of its data; undefined when the data changes again and again while it is read. */
export async function profileTable(
  world: WorldReader,
  { environment, model, relation, columns, sources }: ProfiledTable,
  {
    id,
    runId,
    changedBy,
    definedBy,
    signal,
  }: {
    readonly id: string;
    readonly runId: string;
    readonly changedBy?: string;
    readonly definedBy?: string;
    readonly signal?: AbortSignal;
  },
): Promise<TableProfile | undefined> {
  const { quality } = world.state;
  const [first, versions] = await Promise.all([
    quality.baseline({ environment, model }),
    sources && world.engine.dataVersions(sources),
  ]);
  const present = versionOf(versions);
  // Profiling the same data again shows the same drift.
  const isOther = ({ dataVersion }: TableProfile): boolean => dataVersion === '' || dataVersion !== present;
  const previous = await newestOf(quality, { environment, model }, isOther);
  const baseline = first !== undefined && isOther(first) ? first : undefined;
  const start = performance.now();
  for (let tries = 0; tries < TRIES; tries++) {
    const asked = await ask(world, { relation, columns, sources, previous, baseline, signal });
    if (asked.versions.size > 1) continue;
    return {
      id,
      environment,
      model,
      runId,
      ...(changedBy === undefined ? {} : { changedBy }),
      ...(definedBy === undefined ? {} : { definedBy }),
      at: momentOf(world.clock),
      ms: Math.round(performance.now() - start),
      dataVersion: [...asked.versions][0] ?? '',
      rows: asked.rows,
      columns: asked.columns,
    };
  }
  return undefined;
}

async function newestOf(
  quality: QualityReader,
  scope: Pick<ProfiledTable, 'environment' | 'model'>,
  isWanted: (profile: TableProfile) => boolean,
): Promise<TableProfile | undefined> {
  let before: string | undefined;
  for (;;) {
    const page = await quality.profiles({
      ...scope,
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    });
    const found = page.find(isWanted);
    if (found !== undefined || page.length < PAGE) return found;
    before = page.at(-1)?.id;
  }
}

interface Asked extends Pick<TableProfile, 'rows' | 'columns'> {
  readonly versions: ReadonlySet<string>;
}

async function ask(
  { engine }: WorldReader,
  {
    relation,
    columns,
    sources,
    previous,
    baseline,
    signal,
  }: Pick<ProfiledTable, 'relation' | 'columns'> & {
    readonly sources: ProfiledTable['sources'];
    readonly previous: TableProfile | undefined;
    readonly baseline: TableProfile | undefined;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Asked> {
  const steps = profileSteps({
    relation,
    columns,
    dialect: engine.dialect,
    hasQuantileLists: engine.capabilities.quantileLists,
    ...(previous === undefined ? {} : { previous }),
    ...(baseline === undefined ? {} : { baseline }),
  });
  const versions = new Set<string>();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { ...step.value, versions };
    const { queries, answers } = step.value;
    const one = async (query: ProfileQuery): Promise<void> => {
      try {
        const { rows, versions: seen } = await readAnswer(engine, query.sql, {
          rowsMax: ROWS_MAX,
          ...(sources === undefined ? {} : { versionsOf: sources }),
          ...(signal === undefined ? {} : { signal }),
        });
        versions.add(versionOf(seen));
        answers.take(query, rows);
      } catch (error) {
        const isEnd = !(error instanceof Failure) || ENDS.has(error.code) || signal?.aborted === true;
        if (isEnd || (query.isNeeded && query.instead.length === 0)) throw error;
        for (const other of query.instead) await one(other);
      }
    };
    for (const query of queries) await one(query);
  }
}
