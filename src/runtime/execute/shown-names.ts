import type { EngineReader } from '../../domain/engine.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import { type Relation, relationText, viewRelation } from '../../domain/relation.ts';
import type { WrittenTable } from '../../foundation/sql/written-tables.ts';
import type { RunContext } from './run-context.ts';

/** The names under which environments show models, and the schemas those are in. */
export interface ShownNames {
  has(written: Pick<WrittenTable, 'parts' | 'object' | 'change'>): boolean;
}

/** What every environment shows, is about to show, or will show after this run. Intents come first: a promotion that ends in between is seen once at least. */
export async function shownNames({ world, execution }: RunContext): Promise<ShownNames> {
  const { state, engine } = world;
  const intents = await state.journal.promotionIntents();
  const environments = [
    { name: execution.run.environment, entries: execution.entries },
    ...intents.map(({ target }) => target),
    ...(await state.snapshots.environments()),
  ];
  const views = environments.flatMap(({ name, entries }) => {
    const naming = execution.naming(name);
    return entries.filter(isViewed).map(({ model }) => viewRelation(model, naming));
  });
  return namesOf(views, await ownCatalogOf(engine));
}

/** EMBEDDED models have no view, and EXTERNAL ones are tables of other programs. */
const isViewed = ({ version }: EnvironmentEntry): boolean => version !== undefined;

/** `ownCatalog` is what the engine calls the catalog that relations leave out. */
export function namesOf(views: readonly Relation[], ownCatalog: string | undefined): ShownNames {
  const own = ownCatalog?.toLowerCase();
  const names = new Set(views.map((view) => relationText(view).toLowerCase()));
  const schemas = new Set(
    views.map(({ catalog, schema }) =>
      [...(catalog === undefined ? [] : [catalog]), schema].join('.').toLowerCase(),
    ),
  );
  const inOwn = ([first, ...rest]: readonly string[]): string =>
    (first === own ? rest : [first, ...rest]).join('.');
  return {
    has({ parts, object, change }) {
      const [first = '', second, ...rest] = parts.map(({ name }) => name.toLowerCase());
      if (object === 'schema')
        return change !== 'create' && schemas.has(second === undefined ? first : inOwn([first, second]));
      if (second === undefined) return names.has(`main.${first}`);
      if (rest.length > 0) return names.has(inOwn([first, second, ...rest]));
      // The first part may be a catalog, too.
      return names.has(`${first}.${second}`) || names.has(inOwn([first, 'main', second]));
    },
  };
}

const catalogs = new WeakMap<EngineReader, Promise<string | undefined>>();

/** Asked once. */
function ownCatalogOf(engine: EngineReader): Promise<string | undefined> {
  if (!engine.capabilities.catalogs) return Promise.resolve(undefined);
  let found = catalogs.get(engine);
  if (found === undefined) {
    found = engine.query('SELECT current_database()').then(({ rows }) => String(rows[0]?.[0]));
    found.catch(() => catalogs.delete(engine));
    catalogs.set(engine, found);
  }
  return found;
}
