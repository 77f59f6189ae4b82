import type { YamlEntry, YamlNode } from '../../../foundation/yaml/tree.ts';

import { readThreshold, type Threshold } from './threshold.ts';

/** A check of a SodaCL file with the words and settings that its kind reads. Every setting that is not taken is reported. */
export class SodaCheck {
  readonly text: string;
  /** How SQL names the table. */
  readonly table: string;
  /** The condition of the rows that the section looks at. */
  readonly where: string | undefined;
  readonly #settings: readonly YamlEntry[];
  readonly #taken = new Set<string>();
  /** Settings of columns (`configurations for`), by column in lower case. */
  readonly #columns: ReadonlyMap<string, readonly YamlEntry[]>;

  constructor(given: {
    readonly text: string;
    readonly settings: YamlNode | undefined;
    readonly table: string;
    readonly where?: string | undefined;
    readonly columns?: ReadonlyMap<string, readonly YamlEntry[]>;
  }) {
    this.text = given.text.trim().replace(/\s+/g, ' ');
    this.table = given.table;
    this.where = given.where;
    this.#settings = given.settings?.kind === 'map' ? given.settings.entries : [];
    this.#columns = given.columns ?? new Map();
  }

  /** The value of a setting. */
  node(key: string): YamlNode | undefined {
    const entry = this.#settings.find((each) => each.key.text === key);
    if (entry === undefined || isNull(entry.value)) return undefined;
    this.#taken.add(key);
    return entry.value;
  }

  string(key: string): string | undefined {
    const node = this.node(key);
    return node?.kind === 'scalar' ? node.text.trim() : undefined;
  }

  /** A setting whose key ends with these words (`avg_size expression`), with its value. */
  endingWith(...words: readonly string[]): string | undefined {
    const entry = this.#settings.find(({ key }) =>
      words.some((word) => key.text === word || key.text.endsWith(` ${word}`)),
    );
    return entry === undefined ? undefined : this.string(entry.key.text);
  }

  has(key: string): boolean {
    return this.node(key) !== undefined;
  }

  /** Settings of a column that stand in `configurations for`; those of the check itself come before them. */
  ofColumn(column: string | undefined): readonly YamlEntry[] {
    return column === undefined ? [] : (this.#columns.get(column.toLowerCase()) ?? []);
  }

  /** The condition behind `warn:` or `fail:`; `unreadable` when there is one that is not a condition. */
  level(key: 'warn' | 'fail'): Threshold | 'unreadable' | undefined {
    const text = this.string(key);
    if (text === undefined) return this.has(key) ? 'unreadable' : undefined;
    return readThreshold(text.replace(/^when\s+/i, '')) ?? 'unreadable';
  }

  /** Keys that nothing has read. */
  left(): readonly string[] {
    return this.#settings.map(({ key }) => key.text).filter((key) => !this.#taken.has(key));
  }

  /** Keys that are read elsewhere, or say nothing about the data. */
  take(...keys: readonly string[]): void {
    for (const key of keys) this.#taken.add(key);
  }
}

function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}
