/*
 * What questions to one environment are compiled from, read once per promotion: semantics as they were applied with the policies that
 * hold, the models with their views, and which tables' data an answer depends on. The store says to a submission when the
 * environment has moved on, and asks for a newer one.
 */
import type { RollupTable } from '../../compiler/semantic/rollups/choose-rollup.ts';
import { rollupSources } from '../../compiler/semantic/rollups/rollup-sources.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import {
  type Environment,
  type EnvironmentEntry,
  environmentViews,
  isRollup,
  tableOf,
} from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { ModelKind } from '../../domain/model-kind.ts';
import { splitModelName } from '../../domain/model-name.ts';
import { type TableId, type ViewNaming, viewRelation } from '../../domain/relation.ts';
import type { AuditFacts } from '../../domain/snapshot.ts';
import { appliedSemantics } from '../applied-semantics.ts';
import { appliedEnvironment, environmentOf, type OpenedWorld } from '../open-world.ts';
import {
  type EnvironmentPolicies,
  environmentPolicies,
  type ReadEnvironment,
} from './environment-policies.ts';
import { rollupTables } from './rollup-tables.ts';

/** A model as questions can read it. */
export interface ShownModel {
  readonly entry: EnvironmentEntry;
  readonly kind: ModelKind['kind'];
  readonly isRollup: boolean;
  /** What its audits read besides; absent when it has none. */
  readonly audits?: AuditFacts;
}

export interface StatementContext extends EnvironmentPolicies {
  readonly environment: Environment;
  /** The promotion of the default environment whose policies hold besides; absent when it is this one, or was never applied. */
  readonly homePromotionId?: string;
  readonly naming: ViewNaming;
  /** By name. */
  readonly models: ReadonlyMap<string, ShownModel>;
  /** Tables, and views of the environment, whose data versions say whether rows of these models are the same; undefined when nothing can say it. */
  tablesBelow(models: readonly string[]): Promise<readonly TableId[] | undefined>;
  /** Rollups over these models. */
  rollups(reads: readonly string[]): Promise<ReadonlyMap<string, RollupTable>>;
}

/** Reads an environment; `environment.unknown` when there is none. */
async function readContext(world: OpenedWorld, name: string): Promise<StatementContext> {
  const environment = await appliedEnvironment(world, name);
  const { snapshots } = world.state;
  const home = await homeOf(world, name);
  const read = async (each: Environment): Promise<ReadEnvironment> => ({
    environment: each,
    semantics: await appliedSemantics(world, each),
  });
  const [policies, heads] = await Promise.all([
    Promise.all([read(environment), home && read(home)]).then(([asked, other]) =>
      environmentPolicies(world, asked, other),
    ),
    snapshots.snapshots(environment.entries.map(({ fingerprint }) => fingerprint)),
  ]);
  const known = new Map(heads.map((head) => [head.fingerprint, head]));
  const models = new Map(
    environment.entries.map((entry): [string, ShownModel] => {
      const { kind = 'external', audits } = known.get(entry.fingerprint) ?? {};
      return [
        entry.model,
        { entry, kind, isRollup: isRollup(entry), ...(audits === undefined ? {} : { audits }) },
      ];
    }),
  );
  const naming = world.naming(environment.name);
  const contents = new Map<string, Promise<Model | undefined>>();
  const modelOf = (model: string): Promise<Model | undefined> => {
    const fingerprint = models.get(model)?.entry.fingerprint;
    if (fingerprint === undefined) return Promise.resolve(undefined);
    return remembered(
      contents,
      fingerprint,
      async () => (await snapshots.contents([fingerprint])).get(fingerprint)?.model,
    );
  };
  const below = new Map<string, Promise<readonly TableId[] | undefined>>();
  const rollups = new Map<string, Promise<ReadonlyMap<string, RollupTable>>>();
  return {
    environment,
    ...(home === undefined ? {} : { homePromotionId: home.promotionId }),
    naming,
    ...policies,
    models,
    tablesBelow: (names) =>
      remembered(below, [...names].sort().join('\0'), async () => {
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
    rollups: (reads) =>
      remembered(rollups, [...reads].sort().join('\0'), () =>
        rollupTables(world, environment, { index: indexOf(policies.semantics), reads }),
      ),
  };
}

/** The default environment, where another one is asked. */
async function homeOf({ config, state }: OpenedWorld, name: string): Promise<Environment | undefined> {
  const home = environmentOf(config, undefined);
  return home === name ? undefined : state.snapshots.environment(home);
}

/** What was asked for is asked once; a failure is not remembered. */
function remembered<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  ask: () => Promise<Value>,
): Promise<Value> {
  const found = known.get(key);
  if (found !== undefined) return found;
  const asked = ask();
  known.set(key, asked);
  asked.catch(() => known.delete(key));
  return asked;
}

/** The contexts of one product, by environment. */
export class StatementContexts {
  readonly #world: OpenedWorld;
  readonly #known = new Map<string, Promise<StatementContext>>();

  constructor(world: OpenedWorld) {
    this.#world = world;
  }

  /** As it was read last: the store says to a submission when it has changed. Of other environments than the default one as they are now. */
  async of(environment: string): Promise<StatementContext> {
    if (environment !== environmentOf(this.#world.config, undefined)) return this.current(environment);
    return this.#remembered(environment);
  }

  /** As the environment, and the default one, are at this moment. */
  async current(environment: string): Promise<StatementContext> {
    const known = await this.#known.get(environment)?.catch(() => undefined);
    if (known !== undefined && (await this.isCurrent(known))) return known;
    this.#known.delete(environment);
    return this.#remembered(environment);
  }

  /** Whether its environment, and the default one, are what they were when it was read. */
  async isCurrent({ environment, homePromotionId }: StatementContext): Promise<boolean> {
    const [{ promotionId }, home] = await Promise.all([
      appliedEnvironment(this.#world, environment.name),
      homeOf(this.#world, environment.name),
    ]);
    return environment.promotionId === promotionId && homePromotionId === home?.promotionId;
  }

  /** This one is out of date: the next who asks gets another. */
  async forget({ environment }: StatementContext): Promise<void> {
    // One that cannot be read is not remembered for long, and is not this one.
    const known = await this.#known.get(environment.name)?.catch(() => undefined);
    if (known?.environment.promotionId === environment.promotionId) this.#known.delete(environment.name);
  }

  /** What cannot be read may be there the next time. */
  async #remembered(environment: string): Promise<StatementContext> {
    const context = await remembered(this.#known, environment, () => readContext(this.#world, environment));
    if (context.isUnreadable) this.#known.delete(environment);
    return context;
  }
}
