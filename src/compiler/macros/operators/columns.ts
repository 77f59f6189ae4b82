/** Macros that write one expression per column or value. */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { isName, keyOf } from '../../../foundation/sql/parse/keywords.ts';
import { identifierText } from '../../../foundation/sql/tokenize.ts';
import { isWholeType } from '../../../foundation/sql/types/type-names.ts';
import { bindArguments, listItems } from '../arguments.ts';
import type { CallArgument, Expander, MacroCall, MacroResult, Operator } from '../call.ts';
import { assemble, type Fragment, joined, madeFragment, trimmed } from '../fragment.ts';
import { badArguments, range } from '../problems.ts';
import { bareText, calledText, nameSql } from '../values.ts';
import { stringOf } from './control.ts';

type Columns = readonly { readonly name: string; readonly type: string }[];

/** Reads optional arguments of one kind; `undefined` when not given. */
function reader(call: MacroCall, expander: Expander, bound: ReadonlyMap<string, CallArgument>) {
  const fragment = (name: string): Fragment | undefined => {
    const argument = bound.get(name);
    return argument === undefined ? undefined : trimmed(expander.expand(argument, call.scope));
  };
  return {
    fragment,
    text(name: string): string | undefined {
      const value = fragment(name);
      return value === undefined ? undefined : bareText(value.text, expander.dialect);
    },
    flag(name: string, otherwise: boolean): boolean {
      const value = fragment(name)?.text.toLowerCase();
      if (value === undefined) return otherwise;
      if (value !== 'true' && value !== 'false')
        return badArguments(call.name, `TRUE or FALSE for ${name}`, call.place);
      return value === 'true';
    },
    list(name: string): readonly Fragment[] | undefined {
      const argument = bound.get(name);
      if (argument === undefined) return undefined;
      const { items, isSpliced } = expander.items(argument, call.scope);
      if (isSpliced) return items;
      return (
        listItems(trimmed(items[0] as Fragment), expander) ??
        badArguments(call.name, `a list [a, b] for ${name}`, call.place)
      );
    },
  };
}

/** The dotted name of a table, in the form under which its columns are asked for. */
function tableKey(table: Fragment, expander: Expander): string {
  return expander
    .sourceOf(table)
    .tokens.filter(({ kind }) => kind === 'word' || kind === 'name')
    .map(identifierText)
    .join('.');
}

/** `@STAR(table, alias, exclude := [a], prefix := 'p_', …)`: every column of a table by name, cast to its type. */
export const star: Operator = (call, expander) => {
  const expected =
    "a table: @STAR(table, alias, exclude := [a], prefix := 'p_', suffix := '_s', quote_identifiers := TRUE)";
  const bound = bindArguments(
    call,
    ['relation', 'alias', 'exclude', 'prefix', 'suffix', 'quote_identifiers'],
    expected,
  );
  const read = reader(call, expander, bound);
  const relation = read.fragment('relation');
  if (relation === undefined) return badArguments(call.name, expected, call.place);
  const { dialect } = expander;
  const isQuoted = read.flag('quote_identifiers', true);
  const [prefix, suffix] = [read.text('prefix') ?? '', read.text('suffix') ?? ''];
  const excluded = new Set(
    (read.list('exclude') ?? []).map(({ text }) => calledText(text, dialect).toLowerCase()),
  );
  const qualifier = nameSql(
    calledText((read.fragment('alias') ?? relation).text, dialect),
    dialect,
    isQuoted,
  );
  const key = tableKey(relation, expander);
  const columns = expander.columnsOf(key);
  if (columns === undefined)
    return unknownStar(call, expander, {
      key,
      qualifier,
      excluded,
      isRenamed: prefix !== '' || suffix !== '',
    });
  const wanted = columns.filter(({ name }) => !excluded.has(name.toLowerCase()));
  const isTyped = wanted.every(({ type }) => isWholeType(type));
  return wanted.map(({ name, type }) => {
    const column = `${qualifier}.${nameSql(name, dialect, isQuoted)}`;
    const alias = nameSql(`${prefix}${name}${suffix}`, dialect, isQuoted);
    return madeFragment(`${isTyped ? `CAST(${column} AS ${type})` : column} AS ${alias}`, call.place);
  });
};

function unknownStar(
  call: MacroCall,
  expander: Expander,
  {
    key,
    qualifier,
    excluded,
    isRenamed,
  }: {
    readonly key: string;
    readonly qualifier: string;
    readonly excluded: ReadonlySet<string>;
    readonly isRenamed: boolean;
  },
): MacroResult {
  if (isRenamed) warnUnknown(call, expander, key);
  const names = [...excluded].map((name) => nameSql(name, expander.dialect)).join(', ');
  const word =
    expander.dialect === 'bigquery' || expander.dialect === 'spark' || expander.dialect === 'databricks'
      ? 'EXCEPT'
      : 'EXCLUDE';
  return madeFragment(`${qualifier}.*${names === '' ? '' : ` ${word} (${names})`}`, call.place);
}

function warnUnknown(call: MacroCall, expander: Expander, table: string): void {
  expander.report(
    diagnostic(
      'macro.columns-unknown',
      { macro: `@${call.name.toUpperCase()}`, table },
      { at: range(call.place) },
    ),
  );
}

/** `@UNION(condition, 'all', a, b)`: the columns that all tables have, from each of them. */
export const union: Operator = (call, expander) => {
  const expected = "tables, perhaps after a condition and 'all' or 'distinct': @UNION('all', a, b)";
  const given = call.arguments.flatMap((argument) => expander.items(argument, call.scope).items).map(trimmed);
  let at = 0;
  let isUnited = true;
  const first = given[0];
  if (first !== undefined && isCondition(first, expander)) {
    isUnited = expander.evaluate(first, call) === true;
    at++;
  }
  const kind = given[at] === undefined ? undefined : stringOf(given[at] as Fragment, expander);
  if (kind !== undefined) at++;
  const word = (kind ?? 'ALL').toUpperCase();
  const tables = given.slice(at);
  const [head] = tables;
  if (head === undefined || (word !== 'ALL' && word !== 'DISTINCT'))
    return badArguments(call.name, expected, call.place);
  const known = tables.map((table) => expander.columnsOf(tableKey(table, expander)));
  const columns = commonColumns(known);
  if (columns === undefined) {
    const missing = known.indexOf(undefined);
    warnUnknown(call, expander, tableKey(tables[missing] as Fragment, expander));
  }
  const projections = columns?.map(({ name, type }) => {
    const column = nameSql(
      name,
      expander.dialect,
      !isName(keyOf({ kind: 'word', text: name, start: 0, end: 0 })),
    );
    return `${isWholeType(type) ? `CAST(${column} AS ${type})` : column} AS ${column}`;
  });
  const selects = (isUnited ? tables : [head]).map((table) =>
    assemble(call.place, `SELECT ${projections?.join(', ') ?? '*'} FROM `, table),
  );
  return joined(selects, word === 'ALL' ? ' UNION ALL ' : ' UNION ', call.place);
};

/** A condition is anything but a name or a text: TRUE, 1 = 1, … */
function isCondition(fragment: Fragment, expander: Expander): boolean {
  const { tokens } = expander.sourceOf(fragment);
  if (/^(true|false)$/i.test(fragment.text)) return true;
  return (
    tokens.length > 2 &&
    !tokens.every(({ kind, text }) => kind === 'word' || kind === 'name' || kind === 'end' || text === '.')
  );
}

function commonColumns(known: readonly (Columns | undefined)[]): Columns | undefined {
  if (known.includes(undefined)) return undefined;
  const [head = [], ...others] = known as readonly Columns[];
  const sets = others.map(
    (columns) => new Set(columns.map(({ name, type }) => `${name.toLowerCase()}\0${type.toLowerCase()}`)),
  );
  return head.filter(({ name, type }) =>
    sets.every((set) => set.has(`${name.toLowerCase()}\0${type.toLowerCase()}`)),
  );
}

const PIVOT_PARAMETERS = [
  'column',
  'values',
  'alias',
  'agg',
  'cmp',
  'prefix',
  'suffix',
  'then_value',
  'else_value',
  'quote',
  'distinct',
];

/** `@PIVOT(column, ['a', 'b'], …)`: one aggregate per value. */
export const pivot: Operator = (call, expander) => {
  const expected = "a column and a list of values: @PIVOT(status, ['new', 'done'])";
  const read = reader(call, expander, bindArguments(call, PIVOT_PARAMETERS, expected));
  const column = read.fragment('column');
  const values = read.list('values');
  if (column === undefined || values === undefined) return badArguments(call.name, expected, call.place);
  const start = `${read.text('agg') ?? 'SUM'}(${read.flag('distinct', false) ? 'DISTINCT ' : ''}CASE WHEN `;
  const comparison = ` ${read.text('cmp') ?? '='} `;
  const [then, otherwise] = [read.fragment('then_value') ?? '1', read.fragment('else_value') ?? '0'];
  const [prefix, suffix] = [read.text('prefix') ?? '', read.text('suffix') ?? ''];
  const [hasAlias, isQuoted] = [read.flag('alias', true), read.flag('quote', true)];
  return values.map((value) => {
    const name = nameSql(
      `${prefix}${calledText(value.text, expander.dialect)}${suffix}`,
      expander.dialect,
      isQuoted,
    );
    return assemble(
      call.place,
      start,
      column,
      comparison,
      value,
      ' THEN ',
      then,
      ' ELSE ',
      otherwise,
      ` END)${hasAlias ? ` AS ${name}` : ''}`,
    );
  });
};
