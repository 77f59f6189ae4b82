/*
 * What questions to one environment are compiled from, read once per promotion: semantics as they were applied, the
 * models with their views, and which tables' data an answer depends on. Whoever submits is told by the store when the
 * environment has moved on, and asks for a newer one.
 */
import type { RollupTable } from '../compiler/semantic/rollups/choose-rollup.ts';
import { rollupSources } from '../compiler/semantic/rollups/rollup-sources.ts';
import { type Environment, type EnvironmentEntry, isRollup, tableOf } from '../domain/environment.ts';
import type { Model } from '../domain/model.ts';
import type { ModelKind } from '../domain/model-kind.ts';
import type { TableId, ViewNaming } from '../domain/relation.ts';
import { appliedSemantics } from './applied-semantics.ts';
import { appliedEnvironment, type OpenedWorld } from './open-world.ts';
import { indexOf, type Semantics } from './query.ts';
import { rollupTables } from './rollup-tables.ts';

/** A model as questions can read it. */
export interface ShownModel {
  readonly entry: EnvironmentEntry;
  readonly kind: ModelKind['kind'];
  readonly isRollup: boolean;
}

export interface StatementContext {
  readonly environment: Environment;
  readonly naming: ViewNaming;
  readonly semantics: Semantics;
  /** By name. */
  readonly models: ReadonlyMap<string, ShownModel>;
  /** Tables whose data versions say whether rows of these models are the same; undefined when nothing can say it. */
  tablesBelow(models: readonly string[]): Promise<readonly TableId[] | undefined>;
  /** Rollups over these models. */
  rollups(reads: readonly string[]): Promise<ReadonlyMap<string, RollupTable>>;
}

const EMPTY: Semantics = { semanticModels: [], metrics: [], models: [] };

/** Reads an environment; `environment.unknown` when there is none. */
async function readContext(world: OpenedWorld, name: string): Promise<StatementContext> {
  const environment = await appliedEnvironment(world, name);
  const { snapshots } = world.state;
  const [semantics = EMPTY, heads] = await Promise.all([
    appliedSemantics(world, environment),
    snapshots.snapshots(environment.entries.map(({ fingerprint }) => fingerprint)),
  ]);
  const kinds = new Map(heads.map(({ fingerprint, kind }) => [fingerprint, kind]));
  const models = new Map(
    environment.entries.map((entry) => [
      entry.model,
      { entry, kind: kinds.get(entry.fingerprint) ?? 'external', isRollup: isRollup(entry) },
    ]),
  );
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
    naming: world.naming(environment.name),
    semantics,
    models,
    tablesBelow: (names) =>
      remembered(below, [...names].sort().join('\0'), async () => {
        const sources = await rollupSources(names, modelOf);
        if (sources.kind === 'unknown') return undefined;
        const tables = sources.models.map((model) => {
          const shown = models.get(model);
          return shown === undefined ? undefined : tableOf(shown.entry);
        });
        return tables.includes(undefined) ? undefined : (tables as readonly TableId[]);
      }),
    rollups: (reads) =>
      remembered(rollups, [...reads].sort().join('\0'), () =>
        rollupTables(world, environment, { index: indexOf(semantics), reads }),
      ),
  };
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

  of(environment: string): Promise<StatementContext> {
    return remembered(this.#known, environment, () => readContext(this.#world, environment));
  }

  /** As the environment is at this moment. */
  fresh(environment: string): Promise<StatementContext> {
    this.#known.delete(environment);
    return this.of(environment);
  }

  /** This one is out of date: the next who asks gets another. */
  async forget({ environment }: StatementContext): Promise<void> {
    // One that cannot be read is not remembered for long, and is not this one.
    const known = await this.#known.get(environment.name)?.catch(() => undefined);
    if (known?.environment.promotionId === environment.promotionId) this.#known.delete(environment.name);
  }
}
