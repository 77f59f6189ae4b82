import type { Audit } from './audit.ts';
import type { LineageSource, Model } from './model.ts';

/**
 * How the columns of what a model reads come into its own. Names of columns are in lower case.
 *
 *   by value      SELECT lower(email) AS mail …          `values`: mail is made of email
 *   by condition  … WHERE email LIKE 'a%'                `deciding`: email decides about rows, so about every column
 *   blurred       statements, code, unknown columns      every column may be made of everything of what is read
 */
export interface FlowFacts {
  /** Everything it reads but itself. */
  readonly parents: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, readonly LineageSource[]>;
  readonly deciding: ReadonlyMap<string, 'all' | ReadonlySet<string>>;
  /** Those of `deciding` that joins compare. */
  readonly joining: ReadonlyMap<string, ReadonlySet<string>>;
  readonly blurred: ReadonlySet<string>;
}

/** `names`: of all models; `known`: of those whose columns are all known; `audits`: the project's own that the model uses. */
export function modelFlow(
  model: Model,
  {
    names,
    known,
    audits,
  }: {
    readonly names: readonly string[];
    readonly known: ReadonlySet<string>;
    readonly audits: readonly Audit[];
  },
): FlowFacts {
  const said = namesIn(model, names);
  const sources = model.lineage.flatMap((each) => each.sources.map((source) => source.model));
  const parents = new Set([...model.dependencies, ...Object.keys(model.reads), ...sources, ...said]);
  parents.delete(model.name);
  const values = new Map<string, LineageSource[]>();
  for (const { column, sources: own } of model.lineage) {
    const key = column.toLowerCase();
    const before = values.get(key) ?? [];
    values.set(key, before);
    for (const source of own) before.push({ model: source.model, column: source.column.toLowerCase() });
  }
  const deciding = new Map<string, 'all' | Set<string>>();
  const decide = (parent: string, columns: readonly string[] | '*'): void => {
    const before = deciding.get(parent);
    if (columns === '*' || before === 'all') deciding.set(parent, 'all');
    else deciding.set(parent, new Set([...(before ?? []), ...columns.map((column) => column.toLowerCase())]));
  };
  for (const [parent, columns] of Object.entries(model.deciding ?? model.reads)) decide(parent, columns);
  for (const column of keysOf(model))
    for (const source of values.get(column) ?? []) decide(source.model, [source.column]);
  if (keepsByRows(model, audits)) for (const parent of parents) decide(parent, '*');
  const isBlurred = isUnclear(model);
  const blurred = [...parents].filter(
    (parent) => isBlurred || !known.has(parent) || said.includes(parent) || model.reads[parent] === undefined,
  );
  const joining = Object.entries(model.joining ?? {}).map(
    ([parent, columns]) => [parent, new Set(columns.map((column) => column.toLowerCase()))] as const,
  );
  return { parents, values, deciding, joining: new Map(joining), blurred: new Set(blurred) };
}

/** Models that statements around the query name: lineage does not show what becomes of their rows. */
function namesIn({ source, name: own }: Model, names: readonly string[]): readonly string[] {
  if (source.kind === 'external') return [];
  const texts = [...source.preStatements, ...source.postStatements].map(({ text }) =>
    text.toLowerCase().replaceAll('"', ''),
  );
  if (texts.length === 0) return [];
  return names.filter(
    (name) => name !== own && texts.some((text) => text.includes(name.replaceAll('"', ''))),
  );
}

/** Columns by which rows are merged, lower case. */
function keysOf({ kind, columns }: Model): readonly string[] {
  if (kind.kind !== 'incremental-by-unique-key') return [];
  const words = new Set(
    kind.uniqueKey.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []),
  );
  return columns.map(({ name }) => name.toLowerCase()).filter((name) => words.has(name));
}

/** Whether rows are kept, closed or held back by what is in them. */
function keepsByRows({ kind, audits: uses, inlineAudits }: Model, audits: readonly Audit[]): boolean {
  if (kind.kind === 'scd-type-2-by-time' || kind.kind === 'scd-type-2-by-column') return true;
  if (kind.kind === 'incremental-by-unique-key' && (kind.whenMatched ?? kind.mergeFilter) !== undefined)
    return true;
  const definitionOf = (name: string): Audit | undefined =>
    [...inlineAudits, ...audits].find((audit) => audit.name === name);
  return uses.some((use) => (use.onFailure ?? definitionOf(use.name)?.onFailure) === 'quarantine');
}

/** Whether its rows may hold more than its lineage says. */
function isUnclear({ kind, source, columns, lineage, hasAllColumns, hiddenHash }: Model): boolean {
  if (kind.kind === 'custom' || kind.kind === 'managed') return true;
  if (source.kind === 'external') return false;
  if (!hasAllColumns || hiddenHash !== undefined) return true;
  // Macros may name any table.
  const statements = [...source.preStatements, ...source.postStatements];
  if (
    statements.some(({ text, isJinja }) => isJinja || text.replace(/@\{?this_model\b\}?/gi, '').includes('@'))
  )
    return true;
  return source.kind === 'sql' && lineage.length === 0 && columns.length > 0;
}
