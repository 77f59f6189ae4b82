import { hash128 } from '../foundation/hash128.ts';
import type { Dialect } from '../foundation/sql/dialect.ts';
import { quoteName } from '../foundation/sql/quote.ts';
import { splitModelName } from './model-name.ts';

/** A table or view in a warehouse, its parts as they are stored; `catalog` is absent for the gateway's own. */
export interface Relation {
  readonly catalog?: string;
  readonly schema: string;
  readonly name: string;
}

/** The identity of a physical table: intervals, leases and ledger rows belong to it. `version` is 26 base32 characters, or `<fingerprint>__dev`. */
export interface TableId {
  readonly model: string;
  readonly version: string;
}

/** One text for a table id, for maps and lease names. */
export function tableKey({ model, version }: TableId): string {
  return `${model}__${version}`;
}

/** The table that a key names; undefined for a text that is not the key of a table. */
export function tableOfKey(key: string): TableId | undefined {
  const found = /^(.+)__([a-z2-7]{26}(?:__dev)?)$/.exec(key);
  return found === null ? undefined : { model: found[1] as string, version: found[2] as string };
}

/** The relation of a table id: `plinth__<schema>.<model>__<version>`, in the model's own catalog. */
export function physicalRelation({ model, version }: TableId, identifierMax?: number): Relation {
  const { catalog, schema = 'main', table } = splitModelName(model);
  return {
    ...(catalog === undefined ? {} : { catalog }),
    schema: fitting(`plinth__${schema}`, identifierMax),
    name: fitting(`${table}__${version}`, identifierMax),
  };
}

/** The quarantine: the relation of rows that an audit holds back, in the schema of their table. */
export function quarantineRelation(id: TableId, identifierMax?: number): Relation {
  return physicalRelation({ ...id, version: `${id.version}__quarantine` }, identifierMax);
}

/** How an environment's name becomes part of the names of its views. */
export interface ViewNaming {
  readonly environment: string;
  readonly suffixTarget: 'schema' | 'table' | 'catalog';
  /** Catalog of this environment's views where `environment_catalog_mapping` names one. */
  readonly catalog?: string;
  readonly identifierMax?: number;
}

/** The view under which an environment shows a model: `<schema>.<model>` in prod, `<schema>__<env>.<model>` elsewhere. */
export function viewRelation(model: string, naming: ViewNaming): Relation {
  const { catalog: own, schema = 'main', table } = splitModelName(model);
  const { environment, suffixTarget, identifierMax } = naming;
  const suffix = environment === 'prod' ? '' : `__${environment}`;
  const base = naming.catalog ?? own;
  const catalog = suffixTarget === 'catalog' && base !== undefined ? `${base}${suffix}` : base;
  return {
    ...(catalog === undefined ? {} : { catalog }),
    schema: fitting(suffixTarget === 'schema' ? `${schema}${suffix}` : schema, identifierMax),
    name: fitting(suffixTarget === 'table' ? `${table}${suffix}` : table, identifierMax),
  };
}

/** An identifier that is too long for the engine becomes its beginning, `_` and eight characters of its hash. */
function fitting(name: string, max: number | undefined): string {
  if (max === undefined || name.length <= max) return name;
  return `${name.slice(0, max - 9)}_${hash128(name).slice(0, 8)}`;
}

/** The relation in words, unquoted: for messages and maps, never for SQL. */
export function relationText({ catalog, schema, name }: Relation): string {
  return catalog === undefined ? `${schema}.${name}` : `${catalog}.${schema}.${name}`;
}

/** The relation as SQL names it, every part in quotes. */
export function relationSql({ catalog, schema, name }: Relation, dialect: Dialect): string {
  const parts = catalog === undefined ? [schema, name] : [catalog, schema, name];
  return parts.map((part) => quoteName(part, dialect)).join('.');
}

/** A table that no model makes: its name says where it is. */
export function externalRelation(name: string): Relation {
  const { catalog, schema = 'main', table } = splitModelName(name);
  return { ...(catalog === undefined ? {} : { catalog }), schema, name: table };
}
