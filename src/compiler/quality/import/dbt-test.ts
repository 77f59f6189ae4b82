import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { quoteName, quoteText } from '../../../foundation/sql/quote.ts';
import type { Data } from '../../../foundation/yaml/data.ts';
import type { YamlNode } from '../../../foundation/yaml/tree.ts';
import { ruleColumn, unquoted } from './names-in-rules.ts';
import { plainData, textsOf } from './plain-data.ts';
import type { Threshold } from './threshold.ts';

/** Thrown by a reading method and caught where tests are translated: the test cannot be said, and why. */
export class NotTranslatable {
  readonly why: string;
  readonly next: string;

  constructor(why: string, next: string) {
    this.why = why;
    this.next = next;
  }
}

/** A generic test of dbt with its arguments; those that no translation reads are reported. */
export class DbtTest {
  readonly name: string;
  /** The column it stands at, or names itself. */
  readonly column: string | undefined;
  /** The table it is of, as SQL of ours names it. */
  readonly table: string;
  readonly dialect: Dialect;
  /** The table that `ref()` or `source()` in an argument means. */
  readonly tableOf: (written: string) => string;
  readonly #arguments: ReadonlyMap<string, YamlNode>;
  readonly #taken = new Set<string>();

  constructor(given: {
    readonly name: string;
    readonly column: string | undefined;
    readonly table: string;
    readonly dialect: Dialect;
    readonly tableOf: (written: string) => string;
    readonly arguments: ReadonlyMap<string, YamlNode>;
  }) {
    this.name = given.name;
    this.column = given.column;
    this.table = given.table;
    this.dialect = given.dialect;
    this.tableOf = given.tableOf;
    this.#arguments = given.arguments;
  }

  node(key: string): YamlNode | undefined {
    this.#taken.add(key);
    const node = this.#arguments.get(key);
    return node?.kind === 'scalar' && (node.value === null || node.text === 'none') ? undefined : node;
  }

  text(key: string): string | undefined {
    const node = this.node(key);
    return node?.kind === 'scalar' ? node.text.trim() : undefined;
  }

  needed(key: string): string {
    const text = this.text(key);
    if (text === undefined)
      throw new NotTranslatable(`the argument ${key} is missing`, `add ${key} to the test`);
    return text;
  }

  flag(key: string, otherwise: boolean): boolean {
    const text = this.text(key);
    return text === undefined ? otherwise : /^(?:true|yes|1)$/i.test(text);
  }

  list(key: string): readonly string[] {
    return textsOf(this.node(key));
  }

  /** Values of a list as the file has them: numbers stay numbers unless the test quotes its values. */
  values(key: string): readonly Data[] {
    const node = this.node(key);
    const isQuoted = this.flag('quote', this.flag('quote_values', true));
    const items = node === undefined ? [] : node.kind === 'list' ? node.items : [node];
    if (items.length === 0) throw new NotTranslatable(`the argument ${key} is empty`, `add values to ${key}`);
    return items.map((item) =>
      isQuoted && item.kind === 'scalar' && typeof item.value === 'number' ? item.text : plainData(item),
    );
  }

  /** The column in our rules. */
  ruleColumn(written = this.column): string {
    const column = written === undefined ? undefined : ruleColumn(written);
    if (column === undefined)
      throw new NotTranslatable('the test names no column', 'move it below a column, or add column_name');
    return column;
  }

  ruleColumns(written: readonly string[]): string {
    if (written.length === 0) throw new NotTranslatable('the test names no columns', 'add their list');
    return written.map((each) => this.ruleColumn(each)).join(', ');
  }

  /** The column in SQL: as it is written where that is a plain name, so that the engine folds it as dbt's would. */
  sqlColumn(written = this.column): string {
    if (written === undefined)
      throw new NotTranslatable('the test names no column', 'move it below a column, or add column_name');
    const name = unquoted(written);
    return /^[A-Za-z_][A-Za-z0-9_$]*$/.test(name) ? name : quoteName(name, this.dialect);
  }

  sqlText(value: Data): string {
    return typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : quoteText(String(value), this.dialect);
  }

  /** `min_value`, `max_value` and `strictly` as a comparison; undefined when a bound is not a number. */
  range(): Threshold | undefined {
    const [min, max] = [this.text('min_value'), this.text('max_value')];
    const isOpen = this.flag('strictly', !this.flag('inclusive', true));
    if (min === undefined && max === undefined)
      throw new NotTranslatable('there is neither min_value nor max_value', 'add one of them');
    if ([min, max].some((bound) => bound !== undefined && !/^-?(?:\d+\.?\d*|\.\d+)$/.test(bound)))
      return undefined;
    if (min !== undefined && max !== undefined)
      return {
        kind: 'between',
        isNegated: false,
        low: min,
        high: max,
        opening: isOpen ? '(' : '',
        closing: isOpen ? ')' : '',
      };
    if (min !== undefined) return { kind: 'compare', operator: isOpen ? '>' : '>=', value: min };
    return { kind: 'compare', operator: isOpen ? '<' : '<=', value: max as string };
  }

  left(): readonly string[] {
    return [...this.#arguments.keys()].filter((key) => !this.#taken.has(key));
  }
}
