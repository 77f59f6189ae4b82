/*
 * A walk over the tree of DuckDB's parser that refuses whatever is not known to be harmless, and collects what the query reads.
 *
 *   object with `class`        an expression      EXPRESSION_CLASSES, EXPRESSION_TYPES; functions by name
 *   object with `type`         query, table, …    NODE_TYPES; table functions by name; CTEs hide tables in their scope
 *   object with `id`           a type of values   TYPE_IDS
 *   every field of every object                   FIELDS, so that nothing is walked past
 *
 * A doubtful name is a table and no CTE: a table that the caller does not know is refused, a CTE would be let through.
 */
import { ITEMS_MAX, PARTS_MAX, SINGLE_LIMITS } from '../../../domain/query-limits.ts';
import { CLOCK_WORDS, STEADY_FUNCTIONS, TABLE_FUNCTIONS, UNSTEADY_FUNCTIONS } from './allowed-functions.ts';
import { brokenBound, ruleOf } from './bounded-functions.ts';
import {
  EXPRESSION_CLASSES,
  EXPRESSION_TYPES,
  FIELDS,
  NODE_TYPES,
  TYPE_IDS,
  UNBOUND_TYPES,
} from './inspect-nodes.ts';
import type { Refusal } from './keeper-refusal.ts';
import type { WireError } from './keeper-wire.ts';

/** A part of the tree; the walk reads it with suspicion. */
export type TreeNode = Readonly<Record<string, unknown>>;

/** A table that the tree names, where DuckDB says that its name begins (bytes). */
export interface TableInTree {
  readonly parts: readonly string[];
  readonly hasAlias: boolean;
  readonly location: number | undefined;
}

/** A column with a table in front of it, and perhaps a schema, or fields behind it. */
export interface ColumnInTree {
  readonly names: readonly string[];
  readonly location: number | undefined;
}

/** What the walk finds. */
export interface InspectedTree {
  readonly tables: readonly TableInTree[];
  /** Columns with two names or more. */
  readonly columns: readonly ColumnInTree[];
  /** Lower-case names that the query gives to tables. */
  readonly aliases: ReadonlySet<string>;
  /** Names of parameters, one for each place. */
  readonly parameters: readonly string[];
  readonly isStable: boolean;
}

/** Makes the error of a place, given in bytes. */
export type Refuse = (
  code: WireError['code'],
  parameters: WireError['parameters'],
  location: number | undefined,
  hint?: string,
) => Refusal;

type CommonTableNames = ReadonlySet<string>;

/** Lists of the tree by their fields. */
const LISTS: ReadonlyMap<string, keyof typeof ITEMS_MAX> = new Map([
  ['select_list', 'columns'],
  ['group_expressions', 'keys of GROUP BY'],
  ['group_sets', 'grouping sets'],
  ['orders', 'keys of ORDER BY'],
  ['partitions', 'keys of PARTITION BY'],
  ['distinct_on_targets', 'keys of DISTINCT ON'],
  ['replace_list', 'columns in REPLACE'],
  ['rename_list', 'columns in RENAME'],
]);

/** Functions that `{…}`, `MAP {…}`, `[…]` and `(…, …)` stand for. */
const MADE_VALUES: ReadonlySet<string> = new Set([
  'array_value',
  'list_pack',
  'list_value',
  'map',
  'row',
  'struct_pack',
]);

/** Names are compared as DuckDB does, which knows the letters of ASCII only. */
export function asciiLower(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const NO_SHOW = { what: 'SHOW, DESCRIBE or SUMMARIZE' };
const SHOW_HINT = 'plinth info lists the models, plinth info MODEL the columns of one';

/** Walks the node of one statement. `ownFunctions`: lower-case names of what the warehouse defines itself. */
export function inspectTree(
  statement: TreeNode,
  { refuse, ownFunctions }: { readonly refuse: Refuse; readonly ownFunctions: ReadonlySet<string> },
): InspectedTree {
  const tables: TableInTree[] = [];
  const columns: ColumnInTree[] = [];
  const aliases = new Set<string>();
  const parameters: string[] = [];
  let isStable = true;
  let depth = 0;
  let lambdas = 0;
  let joins = 0;
  let subqueries = 0;
  let values = 0;
  let typeLevels = 0;
  let levels = 0;
  const parts = new Map<string, number>();
  walkObject(statement, new Set());
  return { tables, columns, aliases, parameters, isStable };

  function walk(value: unknown, scope: CommonTableNames): void {
    if (Array.isArray(value)) for (const item of value) walk(item, scope);
    else if (isNode(value)) walkObject(value, scope);
  }

  function walkObject(node: TreeNode, scope: CommonTableNames): void {
    if (++levels > SINGLE_LIMITS.levels) throw tooMany('levels', node);
    if (node['type'] === 'SHOW_REF') throw refuse('query.not-allowed', NO_SHOW, locationOf(node), SHOW_HINT);
    for (const field of Object.keys(node)) {
      if (!FIELDS.has(field)) throw notAllowed(words(field), locationOf(node));
      const list = LISTS.get(field);
      if (list !== undefined) checkItems(list, itemsOf(node[field]), node);
      if (list === 'columns') checkItems('stars of one SELECT', starsIn(node[field]), node);
    }
    if (typeof node['class'] === 'string') walkExpression(node, node['class'], scope);
    else if (typeof node['id'] === 'string') walkType(node, node['id'], scope);
    else if (typeof node['type'] === 'string') walkTyped(node, node['type'], scope);
    else walkFields(node, scope);
    levels--;
  }

  function walkFields(node: TreeNode, scope: CommonTableNames, except: readonly string[] = []): void {
    for (const [field, value] of Object.entries(node)) if (!except.includes(field)) walk(value, scope);
  }

  function walkExpression(node: TreeNode, kind: string, scope: CommonTableNames): void {
    if (!EXPRESSION_CLASSES.has(kind)) throw notAllowed(words(kind), locationOf(node));
    const type = String(node['type']);
    if (!EXPRESSION_TYPES.has(type)) throw notAllowed(words(type), locationOf(node));
    if (++depth > SINGLE_LIMITS['expressions inside each other'])
      throw tooMany('expressions inside each other', node);
    if (kind === 'FUNCTION' || kind === 'WINDOW') checkFunction(node);
    if (kind === 'STAR') checkStar(node);
    if (kind === 'SUBQUERY') count('subqueries', node);
    if (kind === 'SUBQUERY' && ++subqueries > SINGLE_LIMITS['subqueries inside each other'])
      throw tooMany('subqueries inside each other', node);
    if (node['filter'] !== undefined || node['filter_expr'] !== undefined)
      count('aggregates with FILTER', node);
    const isValue = kind === 'FUNCTION' && MADE_VALUES.has(asciiLower(String(node['function_name'])));
    if (isValue && ++values > SINGLE_LIMITS['structs, maps or lists inside each other'])
      throw tooMany('structs, maps or lists inside each other', node);
    if (kind === 'PARAMETER') parameters.push(String(node['identifier']));
    if (kind === 'COLUMN_REF') {
      const names = Array.isArray(node['column_names']) ? node['column_names'] : [];
      if (names.length === 1 && CLOCK_WORDS.has(asciiLower(String(names[0])))) isStable = false;
      if (names.length > 1) columns.push({ names: names.map(String), location: locationOf(node) });
    }
    if (kind === 'LAMBDA' && ++lambdas > SINGLE_LIMITS['lambdas inside each other'])
      throw tooMany('lambdas inside each other', node);
    walkFields(node, scope);
    if (kind === 'LAMBDA') lambdas--;
    if (kind === 'SUBQUERY') subqueries--;
    if (isValue) values--;
    depth--;
  }

  /** A name with a schema in front may be a method of a column (`name.upper()`) as well: only the last part is looked at. */
  function checkFunction(node: TreeNode): void {
    const name = asciiLower(String(node['function_name']));
    const isUnsteady = UNSTEADY_FUNCTIONS.has(name);
    const isKnown = isUnsteady || STEADY_FUNCTIONS.has(name) || name === 'unnest';
    if (!isKnown || ownFunctions.has(name))
      throw refuse('query.function-not-allowed', { name }, locationOf(node));
    const broken = brokenBound(name, node);
    if (broken !== undefined)
      throw refuse(
        'query.function-bounded',
        { name, rule: ruleOf(broken.bound), instead: broken.instead },
        locationOf(node),
      );
    if (isUnsteady) isStable = false;
  }

  /** `COLUMNS` picks columns by a text or by a list of texts; a lambda there would be run while the query is planned. */
  function checkStar(node: TreeNode): void {
    const picked = node['expr'];
    if (picked === undefined) return;
    const isText = (value: unknown): boolean => isNode(value) && value['class'] === 'CONSTANT';
    const children = isNode(picked) ? picked['children'] : undefined;
    const isList =
      isNode(picked) &&
      picked['function_name'] === 'list_value' &&
      Array.isArray(children) &&
      children.every(isText);
    const isStar = isNode(picked) && picked['class'] === 'STAR';
    if (!isText(picked) && !isList && !isStar)
      throw notAllowed('COLUMNS with an expression', locationOf(node));
  }

  function walkType(node: TreeNode, id: string, scope: CommonTableNames): void {
    if (!TYPE_IDS.has(id)) throw notAllowed(`The type ${id}`, undefined);
    if (++typeLevels > SINGLE_LIMITS['levels of a type']) throw tooMany('levels of a type', node);
    walkFields(node, scope);
    typeLevels--;
  }

  function walkTyped(node: TreeNode, type: string, scope: CommonTableNames): void {
    if (!NODE_TYPES.has(type)) throw notAllowed(words(type), locationOf(node));
    if (node['sample'] !== undefined) isStable = false;
    if (typeof node['alias'] === 'string') aliases.add(asciiLower(node['alias']));
    switch (type) {
      case 'BASE_TABLE':
        takeTable(node, scope);
        walkFields(node, scope);
        return;
      case 'TABLE_FUNCTION':
        walkTableFunction(node, scope);
        return;
      case 'UNBOUND_TYPE_INFO':
        checkUnboundType(node);
        walkFields(node, scope);
        return;
      case 'RECURSIVE_CTE_NODE': {
        const inner = walkCtes(node, scope);
        walk(node['left'], inner);
        walkFields(node, new Set([...inner, asciiLower(String(node['cte_name']))]), ['left', 'cte_map']);
        return;
      }
      case 'SET_OPERATION_NODE':
        count('set operations', node);
        if (node['setop_type'] !== 'UNION') count('INTERSECT and EXCEPT', node);
        walkFields(node, walkCtes(node, scope), ['cte_map']);
        return;
      case 'JOIN':
        count('joins', node);
        if (++joins > SINGLE_LIMITS['joins in one FROM']) throw tooMany('joins in one FROM', node);
        walkFields(node, walkCtes(node, scope), ['cte_map']);
        joins--;
        return;
      case 'EXPRESSION_LIST':
        checkItems('cells of VALUES', itemsOf(node['values']) * itemsOf(firstOf(node['values'])), node);
        walkFields(node, scope);
        return;
      case 'PIVOT':
        checkItems('columns of PIVOT', pivotColumns(node), node);
        walkFields(node, scope);
        return;
      default:
        walkFields(node, walkCtes(node, scope), ['cte_map']);
    }
  }

  /** Each CTE sees those before it, and itself only as RECURSIVE, which has a node of its own. */
  function walkCtes(node: TreeNode, scope: CommonTableNames): CommonTableNames {
    const map = node['cte_map'];
    if (map === undefined) return scope;
    const entries = isNode(map) ? (map['map'] ?? []) : undefined;
    if (!isNode(map) || !Array.isArray(entries) || Object.keys(map).some((field) => field !== 'map'))
      throw notAllowed('WITH of this form', locationOf(node));
    const inner = new Set(scope);
    for (const entry of entries as readonly unknown[]) {
      if (!isNode(entry) || typeof entry['key'] !== 'string')
        throw notAllowed('WITH of this form', locationOf(node));
      walkObject(entry, inner);
      inner.add(asciiLower(entry['key']));
      aliases.add(asciiLower(entry['key']));
    }
    return inner;
  }

  function takeTable(node: TreeNode, scope: CommonTableNames): void {
    const parts = [node['catalog_name'], node['schema_name'], node['table_name']].filter(
      (part): part is string => typeof part === 'string' && part !== '',
    );
    const [only = ''] = parts;
    if (parts.length === 1 && scope.has(asciiLower(only))) return;
    tables.push({ parts, hasAlias: typeof node['alias'] === 'string', location: locationOf(node) });
  }

  function walkTableFunction(node: TreeNode, scope: CommonTableNames): void {
    const called = node['function'];
    const name = isNode(called) ? asciiLower(String(called['function_name'])) : '';
    if (
      !isNode(called) ||
      called['class'] !== 'FUNCTION' ||
      !TABLE_FUNCTIONS.has(name) ||
      ownFunctions.has(name)
    )
      throw refuse('query.function-not-allowed', { name }, locationOf(node));
    for (const field of Object.keys(called))
      if (!FIELDS.has(field)) throw notAllowed(words(field), locationOf(node));
    walkFields(called, scope);
    walkFields(node, scope, ['function']);
  }

  function checkUnboundType(node: TreeNode): void {
    const name = String(node['name']);
    if (node['schema'] !== undefined || node['catalog'] !== undefined || !UNBOUND_TYPES.has(asciiLower(name)))
      throw notAllowed(`The type ${name}`, undefined);
  }

  /** Of a whole query. */
  function count(what: keyof typeof PARTS_MAX, node: TreeNode): void {
    const found = (parts.get(what) ?? 0) + 1;
    parts.set(what, found);
    if (found > PARTS_MAX[what]) throw tooComplex(what, PARTS_MAX[what], node);
  }

  function checkItems(what: keyof typeof ITEMS_MAX, items: number, node: TreeNode): void {
    if (items > ITEMS_MAX[what]) throw tooComplex(what, ITEMS_MAX[what], node);
  }

  function notAllowed(what: string, location: number | undefined): Refusal {
    return refuse('query.not-allowed', { what }, location);
  }

  function tooMany(what: keyof typeof SINGLE_LIMITS, node: TreeNode): Refusal {
    return tooComplex(what, SINGLE_LIMITS[what], node);
  }

  function tooComplex(what: string, max: number, node: TreeNode): Refusal {
    return refuse('query.too-complex', { what, max }, locationOf(node));
  }
}

function isNode(value: unknown): value is TreeNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const itemsOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

const starsIn = (value: unknown): number =>
  Array.isArray(value) ? value.filter((item) => isNode(item) && item['class'] === 'STAR').length : 0;

/** Each value of each pivoted column with each other, for each aggregate. */
function pivotColumns(node: TreeNode): number {
  const pivots = (Array.isArray(node['pivots']) ? node['pivots'] : []) as readonly TreeNode[];
  const values = pivots.map(({ entries }) => Math.max(1, itemsOf(entries)));
  return values.reduce((product, each) => product * each, Math.max(1, itemsOf(node['aggregates'])));
}

/** Nodes that the parser made by itself have the greatest number for a place, or none. */
function locationOf(node: TreeNode): number | undefined {
  const location = node['query_location'];
  return typeof location === 'number' && location < 2 ** 32 ? location : undefined;
}

/** `AT_CLAUSE` and `at_clause` as people say it. */
function words(name: string): string {
  return name.replaceAll('_', ' ').toUpperCase();
}
