/*
 * What was known of the data behind an answer when it was asked for:
 *
 *   text ─▶ columns it reads ─▶ all that these are made of     (once for each text and promotion)
 *                                 ├─▶ checks that do not pass, open incidents     (state, one question)
 *                                 └─▶ how new the rows are, against slo.freshness (once a minute and state of the data)
 */
import { answerTroubles } from '../../compiler/catalog/answer-troubles.ts';
import { freshnessState } from '../../compiler/catalog/product-freshness.ts';
import type { ColumnsByModel } from '../../compiler/semantic/access/column-flow.ts';
import { columnsUsed } from '../../compiler/semantic/access/columns-used.ts';
import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import { packRule } from '../../domain/check-result.ts';
import { FRESHNESS_CHECK } from '../../domain/product-health.ts';
import { viewRelation } from '../../domain/relation.ts';
import type { ObservedTrust, StatementTrust } from '../../domain/statement-trust.ts';
import { parseDuration } from '../../foundation/time/duration.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { ProductCaches } from '../product-caches.ts';
import type { CompiledQuestion } from './compile-question.ts';
import { newestOf } from './newest-of.ts';

const NOTHING = { results: [], incidents: [] };

export interface TrustRequest {
  readonly context: StatementContext;
  readonly compiled: Pick<CompiledQuestion, 'texts' | 'reads'>;
  /** Of the data that answers; undefined when nothing says it. */
  readonly dataVersion: () => Promise<string | undefined>;
  readonly now: number;
}

export async function answerTrust(
  world: OpenedWorldReader,
  caches: Pick<ProductCaches, 'used' | 'newest'>,
  { context, compiled, dataVersion, now }: TrustRequest,
): Promise<StatementTrust> {
  const { promotionId, promotedAt } = context.environment;
  if (compiled.reads.length === 0)
    return { promotionId, promotedAt, observed: { at: now, ...answerTroubles(new Map(), NOTHING) } };
  const used = await usedBy(world, caches, { context, compiled });
  const [troubles, newest] = await Promise.all([
    troublesOf(world, context, used),
    dataVersion().then((version) =>
      newestOf(world, caches, { context, reads: compiled.reads, dataVersion: version, now }),
    ),
  ]);
  const promise = promiseFor(world, used, { newest, now });
  const observed: ObservedTrust = {
    at: now,
    ...(newest === undefined ? {} : { newest }),
    ...(promise === undefined ? {} : { promise }),
    ...troubles,
  };
  return { promotionId, promotedAt, observed };
}

function usedBy(
  { engine }: OpenedWorldReader,
  { used }: Pick<ProductCaches, 'used'>,
  { context, compiled: { texts, reads } }: Pick<TrustRequest, 'context' | 'compiled'>,
): Promise<ColumnsByModel> {
  // A rollup has no columns of its own: what it stands for is the last of the texts.
  const sql = texts.at(-1)?.sql ?? '';
  const key = `${context.environment.name} ${sql}`;
  const before = used.get(key, (each) => each.context === context);
  if (before !== undefined) return before.columns;
  const columns = readUsed(context, { sql, reads, dialect: engine.dialect });
  used.set(key, { context, columns });
  columns.catch(() => used.delete(key));
  return columns;
}

async function readUsed(
  context: StatementContext,
  { sql, reads, dialect }: Pick<Parameters<typeof columnsUsed>[0], 'sql' | 'reads' | 'dialect'>,
): Promise<ColumnsByModel> {
  const tables = new Map(
    reads.map((model) => {
      const { entry: { columns = [] } = {}, kind } = context.models.get(model) ?? {};
      const naming =
        kind === 'external' ? ({ environment: 'prod', suffixTarget: 'schema' } as const) : context.naming;
      const { catalog, schema, name } = viewRelation(model, naming);
      return [keyOf([catalog ?? '', schema, name]), { model, columns }];
    }),
  );
  return columnsUsed({
    ...{ sql, reads, dialect },
    tableOf: (parts) => tables.get(keyOf(parts.length === 2 ? ['', ...parts] : parts)),
    models: await context.above(reads),
  });
}

const keyOf = (parts: readonly string[]): string => parts.join('\0').toLowerCase();

async function troublesOf(
  { state }: OpenedWorldReader,
  context: StatementContext,
  used: ColumnsByModel,
): Promise<ReturnType<typeof answerTroubles>> {
  const models = [...used.keys()];
  const found = await state.quality.troubles({ environment: context.environment.name, models });
  if (found.results.length + found.incidents.length === 0) return answerTroubles(used, found);
  const rules = await context.rules();
  // A rule that was taken out of its pack leaves results that nothing replaces.
  const isApplied = ({ pack, rule }: { readonly pack: string; readonly rule: string }): boolean =>
    rules === undefined || rules.has(packRule(pack, rule));
  return answerTroubles(used, {
    results: found.results.filter((each) => isApplied(each)),
    incidents: found.incidents.filter((each) => each.check === FRESHNESS_CHECK || isApplied(each)),
  });
}

/** A promise that names a model holds for answers that are made of it. */
function promiseFor(
  { config: { slo } }: OpenedWorldReader,
  used: ColumnsByModel,
  { newest, now }: { readonly newest: number | undefined; readonly now: number },
): ObservedTrust['promise'] {
  const { maxAge, model } = slo.freshness ?? {};
  if (maxAge === undefined) return undefined;
  if (model !== undefined && !used.has(model.toLowerCase()) && !used.has(model)) return undefined;
  const age = parseDuration(maxAge);
  // Loading has checked it.
  if (age.kind !== 'duration') return undefined;
  return { maxAge, state: freshnessState(newest, age, now) };
}
