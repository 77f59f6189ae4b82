/** A test as the YAML that is loaded again as the same test. */
import { shownCell } from './comparable-cell.ts';
import type { Answer, AnswerColumn } from './engine.ts';
import type { TestRow, TestValue } from './model-test.ts';

const PLACE = { start: 0, end: 0 };

/** Rows that an engine gave, as a test writes them. */
export function testRowsOf({ columns, rows }: Answer): readonly TestRow[] {
  return rows.map((row) =>
    columns.map((column, at) => ({
      column: column.name,
      value: testValueOf(shownCell(row[at], column.type), column),
      ...PLACE,
    })),
  );
}

function testValueOf(cell: unknown, { type }: AnswerColumn): TestValue {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === 'boolean') return cell;
  if (typeof cell === 'number' || typeof cell === 'bigint') return { kind: 'number', text: String(cell) };
  if (typeof cell === 'string') {
    if (NUMERIC.test(type) && NUMBER.test(cell)) return { kind: 'number', text: cell };
    return /^DATE$/i.test(type) && DAY.test(cell) ? { kind: 'time', text: cell } : cell;
  }
  const inner = { name: '', type: '' };
  if (Array.isArray(cell)) return { kind: 'list', items: cell.map((item) => testValueOf(item, inner)) };
  return {
    kind: 'struct',
    fields: Object.fromEntries(Object.entries(cell).map(([key, value]) => [key, testValueOf(value, inner)])),
  };
}

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DECIMAL.*|DOUBLE|FLOAT)$/i;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

export interface WrittenTest {
  readonly name: string;
  readonly model: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly inputs: readonly {
    readonly name: string;
    readonly rows: readonly TestRow[];
    /** Types that nothing else says. */
    readonly columns: readonly AnswerColumn[];
  }[];
  readonly ctes: readonly { readonly name: string; readonly rows: readonly TestRow[] }[];
  readonly query: readonly TestRow[];
}

export function testYaml({ name, model, variables, inputs, ctes, query }: WrittenTest): string {
  const lines = [`${scalar(name)}:`, `  model: ${scalar(model)}`];
  const vars = Object.entries(variables);
  if (vars.length > 0)
    lines.push('  vars:', ...vars.map(([key, value]) => `    ${scalar(key)}: ${quoted(value)}`));
  if (inputs.length > 0) lines.push('  inputs:');
  for (const input of inputs) {
    lines.push(`    ${scalar(input.name)}:`);
    if (input.columns.length > 0)
      lines.push(
        '      columns:',
        ...input.columns.map((column) => `        ${scalar(column.name)}: ${quoted(column.type)}`),
      );
    lines.push(...rowLines('rows', input.rows, 6));
  }
  lines.push('  outputs:');
  if (ctes.length > 0) lines.push('    ctes:');
  for (const cte of ctes) lines.push(`      ${scalar(cte.name)}:`, ...rowLines('rows', cte.rows, 8));
  lines.push('    query:', ...rowLines('rows', query, 6));
  return `${lines.join('\n')}\n`;
}

function rowLines(key: string, rows: readonly TestRow[], indent: number): readonly string[] {
  const blank = ' '.repeat(indent);
  if (rows.length === 0) return [`${blank}${key}: []`];
  const lineOf = (row: TestRow): string =>
    `${blank}  - {${row.map(({ column, value }) => `${scalar(column)}: ${valueText(value)}`).join(', ')}}`;
  return [`${blank}${key}:`, ...rows.map(lineOf)];
}

function valueText(value: TestValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoted(value);
  switch (value.kind) {
    case 'number':
    case 'time':
      return value.text;
    case 'list':
      return `[${value.items.map(valueText).join(', ')}]`;
    case 'struct':
      return `{${Object.entries(value.fields)
        .map(([key, field]) => `${scalar(key)}: ${valueText(field)}`)
        .join(', ')}}`;
  }
}

/** A name: bare where YAML reads it as text. */
const scalar = (text: string): string =>
  /^[A-Za-z_][\w.]*$/.test(text) && !/^(?:null|true|false|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : quoted(text);

/** In single quotes, which take every character but line ends as it is. */
function quoted(text: string): string {
  return /[\p{Cc}\u2028\u2029\uFEFF]/u.test(text) ? JSON.stringify(text) : `'${text.replaceAll("'", "''")}'`;
}
