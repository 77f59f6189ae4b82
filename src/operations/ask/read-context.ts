/*
 * What questions to one environment are compiled from, read once per promotion: semantics as they were applied with the policies that
 * hold, the models with their views, and which tables' data an answer depends on. The store says to a submission when the
 * environment has moved on, and asks for a newer one.
 */
import type { FlowModel } from '../../compiler/semantic/access/column-flow.ts';
import type { RollupTable } from '../../compiler/semantic/rollups/choose-rollup.ts';
import { rollupSources } from '../../compiler/semantic/rollups/rollup-sources.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { ShownModel, StatementContext } from '../../compiler/semantic/statement-context.ts';
import { packRule } from '../../domain/check-result.ts';
import { type Environment, environmentViews, isRollup, tableOf } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import { splitModelName } from '../../domain/model-name.ts';
import { type TableId, viewRelation } from '../../domain/relation.ts';
import type { Semantics } from '../../domain/semantics.ts';
import { askedOnce, BoundedCache } from '../../foundation/bounded-cache.ts';
import { appliedPacks } from '../applied-packs.ts';
import { appliedSemantics } from '../applied-semantics.ts';
import { appliedEnvironment, environmentOf, type OpenedWorldReader } from '../open-world.ts';
import { environmentPolicies, type ReadEnvironment } from './environment-policies.ts';
import { rollupTables } from './rollup-tables.ts';

/** Sets of models that questions read, and models below them, of which something is remembered. */
const READS_MAX = 500;
const MODELS_MAX = 1000;

/**
 * Reads an environment; `environment.unknown` when there is none. `own`: for one question of the owner of a folder, perhaps by other
 * semantics than those it was applied with.
 */
export async function readContext(
  world: OpenedWorldReader,
  name: string,
  own?: { readonly semantics?: Semantics },
): Promise<StatementContext> {
  const environment = await appliedEnvironment(world, name);
  const { snapshots } = world.state;
  const home = await homeEnvironment(world, name);
  const read = async (each: Environment): Promise<ReadEnvironment> => ({
    environment: each,
    semantics: (each === environment ? own?.semantics : undefined) ?? (await appliedSemantics(world, each)),
  });
  const [policies, models] = await Promise.all([
    Promise.all([read(environment), home && read(home)]).then(([asked, other]) =>
      environmentPolicies(world, asked, other),
    ),
    shownModels(world, environment, own === undefined),
  ]);
  const naming = world.naming(environment.name);
  const contents = new BoundedCache<string, Promise<FlowModel | undefined>>(MODELS_MAX);
  const contentOf = (model: string): Promise<FlowModel | undefined> => {
    const fingerprint = models.get(model)?.entry.fingerprint;
    if (fingerprint === undefined) return Promise.resolve(undefined);
    return askedOnce(contents, fingerprint, async () => {
      const found = (await snapshots.contents([fingerprint])).get(fingerprint);
      return found && { model: found.model, audits: found.audits };
    });
  };
  const modelOf = async (model: string): Promise<Model | undefined> => (await contentOf(model))?.model;
  let rules: ReturnType<StatementContext['rules']> | undefined;
  const below = new BoundedCache<string, Promise<readonly TableId[] | undefined>>(READS_MAX);
  const rollups = new BoundedCache<string, Promise<ReadonlyMap<string, RollupTable>>>(READS_MAX);
  return {
    environment,
    ...(home === undefined ? {} : { homePromotionId: home.promotionId }),
    naming,
    ...policies,
    models,
    tablesBelow: (names) =>
      askedOnce(below, [...names].sort().join('\0'), async () => {
        const sources = await rollupSources(names, modelOf);
        if (sources.kind === 'unknown') return undefined;
        const tables = sources.models.map((model) => {
          const shown = models.get(model);
          return shown === undefined ? undefined : tableOf(shown.entry);
        });
        if (tables.includes(undefined)) return undefined;
        const shownBy = [...names, ...sources.models];
        const catalogs = new Set([
          ...shownBy.map((model) => splitModelName(model).catalog),
          ...shownBy.map((model) => viewRelation(model, naming).catalog),
        ]);
        const views = [...catalogs].map((catalog) => environmentViews(environment.name, catalog));
        return [...views, ...(tables as readonly TableId[])];
      }),
    above: (names) => modelsAbove(names, contentOf),
    rules: () => {
      rules ??= appliedRules(world, environment).catch((error: unknown) => {
        rules = undefined;
        throw error;
      });
      return rules;
    },
    rollups: (reads) =>
      askedOnce(rollups, [...reads].sort().join('\0'), () =>
        rollupTables(world, environment, { index: indexOf(policies.semantics), reads }),
      ),
  };
}

/** Those that are switched off say nothing. */
async function appliedRules(
  world: OpenedWorldReader,
  environment: Environment,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const packs = await appliedPacks(world, environment);
    return new Set(
      packs.flatMap(({ name, rules }) =>
        rules.filter(({ isEnabled }) => isEnabled).map((rule) => packRule(name.value, rule.name)),
      ),
    );
  } catch (error) {
    if (error instanceof Failure && error.code === 'dq.not-applied') return undefined;
    throw error;
  }
}

/** From level to level: what is read of one is asked for at once. */
async function modelsAbove(
  names: readonly string[],
  contentOf: (model: string) => Promise<FlowModel | undefined>,
): Promise<readonly FlowModel[]> {
  const found = new Map<string, FlowModel | undefined>();
  for (let next = [...new Set(names)]; next.length > 0; ) {
    const contents = await Promise.all(next.map(contentOf));
    for (const [index, name] of next.entries()) found.set(name, contents[index]);
    const below = contents.flatMap((each) => each?.model.dependencies ?? []);
    next = [...new Set(below)].filter((name) => !found.has(name));
  }
  return [...found.values()].filter((each) => each !== undefined);
}

/** Models by name. A thousand heads take as long as the rest of a question: without audits only models without a table are told apart by theirs. */
async function shownModels(
  { state }: OpenedWorldReader,
  { entries }: Environment,
  hasAudits: boolean,
): Promise<StatementContext['models']> {
  const needed = entries.filter(({ version }) => hasAudits || version === undefined);
  const heads = await state.snapshots.snapshots(needed.map(({ fingerprint }) => fingerprint));
  const known = new Map(heads.map((head) => [head.fingerprint, head]));
  return new Map(
    entries.map((entry): [string, ShownModel] => {
      const { kind: written, audits } = known.get(entry.fingerprint) ?? {};
      const kind = entry.version !== undefined ? 'stored' : written === 'embedded' ? 'embedded' : 'external';
      return [
        entry.model,
        { entry, kind, isRollup: isRollup(entry), ...(audits === undefined ? {} : { audits }) },
      ];
    }),
  );
}

/** The default environment, where another one is asked. */
export async function homeEnvironment(
  { config, state }: OpenedWorldReader,
  name: string,
): Promise<Environment | undefined> {
  const home = environmentOf(config, undefined);
  return home === name ? undefined : state.snapshots.environment(home);
}
