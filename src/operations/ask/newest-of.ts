import { modelClocks } from '../../compiler/catalog/model-clocks.ts';
import type { FlowModel } from '../../compiler/semantic/access/column-flow.ts';
import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import { tableOf } from '../../domain/environment.ts';
import { endOfTime } from '../../domain/model-status.ts';
import { tableKey } from '../../domain/relation.ts';
import type { Run } from '../../domain/run.ts';
import { askedOnce } from '../../foundation/bounded-cache.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { ProductCaches } from '../product-caches.ts';

export interface NewestRequest {
  readonly context: StatementContext;
  readonly reads: readonly string[];
  /** Of their data; undefined when nothing says it. */
  readonly dataVersion: string | undefined;
  readonly now: number;
}

const MINUTE_MS = 60_000;
const RUNS_AT_ONCE = 10;
/** A model that none of so many runs has written was filled long ago. */
const RUNS_MAX = 100;

/** How new the rows of these models are, of the least new of them; undefined when nothing says it. */
export function newestOf(
  world: OpenedWorldReader,
  { newest }: Pick<ProductCaches, 'newest'>,
  request: NewestRequest,
): Promise<number | undefined> {
  const { context, reads, dataVersion, now } = request;
  if (dataVersion === undefined) return readNewest(world, request);
  const minute = Math.floor(now / MINUTE_MS);
  const key = [context.environment.promotionId, dataVersion, minute, ...reads].join('\0');
  return askedOnce(newest, key, () => readNewest(world, request));
}

async function readNewest(
  world: OpenedWorldReader,
  { context, reads, now }: NewestRequest,
): Promise<number | undefined> {
  const models = await context.above(reads);
  const { environment } = context;
  const tables = new Map(
    models.flatMap(({ model: { name } }) => {
      const entry = context.models.get(name)?.entry;
      const table = entry && tableOf(entry);
      return table === undefined ? [] : [[name, table] as const];
    }),
  );
  const [intervals, runs] = await Promise.all([
    world.state.journal.intervals([...tables.values()]),
    runsThatWrote(world, environment.name, new Set(tables.keys())),
  ]);
  const clocks = modelClocks({
    found: {
      environment,
      models: models.flatMap(({ model: { name, kind } }) => {
        const table = tables.get(name);
        if (table === undefined) return [];
        const filledUntil = endOfTime(intervals.get(tableKey(table)));
        return [{ model: name, kind: kind.kind, ...(filledUntil === undefined ? {} : { filledUntil }) }];
      }),
      parents: parentsOf(models, context),
    },
    runs,
    now,
  });
  const known = reads.flatMap((model) => clocks.get(model)?.newest ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
}

const parentsOf = (
  models: readonly FlowModel[],
  { models: shown }: StatementContext,
): ReadonlyMap<string, readonly string[]> =>
  new Map(
    models.map(({ model: { name, dependencies } }) => [name, dependencies.filter((each) => shown.has(each))]),
  );

/** The last runs, back to those that wrote each of the tables. */
async function runsThatWrote(
  { state }: OpenedWorldReader,
  environment: string,
  wanted: Set<string>,
): Promise<readonly Run[]> {
  const found: Run[] = [];
  while (wanted.size > 0 && found.length < RUNS_MAX) {
    const before = found.at(-1)?.id;
    const page = { environment, ...(before === undefined ? {} : { before }), limit: RUNS_AT_ONCE };
    const runs = await state.journal.runs(page);
    found.push(...runs);
    for (const { name, status } of runs.flatMap((run) => run.models))
      if (status === 'built') wanted.delete(name);
    if (runs.length < RUNS_AT_ONCE) break;
  }
  return found;
}
