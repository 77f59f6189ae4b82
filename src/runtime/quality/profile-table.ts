import type { ProfileQuery } from '../../compiler/quality/profile-queries.ts';
import { profileSteps } from '../../compiler/quality/profile-steps.ts';
import { versionOf } from '../../domain/data-version.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
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
/** Profiles of the same data that are passed over at most, to find one of other data. */
const PROFILES_MAX = 20;
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
  const [earlier, first, versions] = await Promise.all([
    quality.profiles({ environment, model, limit: PROFILES_MAX }),
    quality.baseline({ environment, model }),
    sources && world.engine.dataVersions(sources),
  ]);
  const present = versionOf(versions);
  // Profiling the same data again shows the same drift.
  const isOther = ({ dataVersion }: TableProfile): boolean => dataVersion === '' || dataVersion !== present;
  const previous = earlier.find(isOther);
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
      at: world.clock.now(),
      ms: Math.round(performance.now() - start),
      dataVersion: [...asked.versions][0] ?? '',
      rows: asked.rows,
      columns: asked.columns,
    };
  }
  return undefined;
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
