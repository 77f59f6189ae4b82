import { wildcard } from '../../../foundation/wildcard.ts';
import type { DataRecord } from '../../../foundation/yaml/data.ts';
import { readYaml } from '../../../foundation/yaml/read-yaml.ts';
import { entryOf, type YamlEntry, type YamlMap, type YamlNode } from '../../../foundation/yaml/tree.ts';
import { type CheckDraft, type CheckPlace, type ForeignFile, refused } from './imported-check.ts';
import { lineAt, plainData, textAt, textsOf } from './plain-data.ts';
import { SodaCheck } from './soda-check.ts';
import { type SodaVariables, withVariables } from './soda-variables.ts';
import { translateSodaCheck } from './translate-soda-check.ts';

/** What the reader needs to know of the project. */
export interface SodaWorld {
  /** How a table of the file is called here. */
  readonly tableOf: (name: string) => string;
  readonly tables: readonly string[];
  readonly variables: SodaVariables;
}

/** Sections that hold no checks: what to do in place of each. */
const OTHER_SECTIONS: readonly (readonly [RegExp, string])[] = [
  [/^profile columns/, "add profiles: '*' or a list of columns to the pack of each table"],
  [/^discover (?:datasets|tables)/, 'describe the tables with plinth external'],
  [
    /^sample (?:datasets|tables)/,
    'failing rows are kept with each result; plinth sample shows rows of a table',
  ],
  [/^automated monitoring/, 'write anomaly for row_count, and schema with the columns that must be there'],
  [/^(?:data_source|soda_cloud|soda_agent)\b/, 'connections are gateways of config.yaml'],
];

/** A table in quotes, which may have spaces, or as one word. */
const TABLE = String.raw`("[^"]+"|\`[^\`]+\`|\S+)`;
const CHECKS = new RegExp(String.raw`^checks for ${TABLE}(?: \[?([^\]]+)\]?)?$`);
const FILTER = new RegExp(String.raw`^filter ${TABLE} \[?([^\]]+)\]?$`);
const CONFIGURED = new RegExp(`^configurations for ${TABLE}$`);

/** Every check of a SodaCL file, translated. */
export function readSoda(file: ForeignFile, world: SodaWorld): readonly CheckDraft[] {
  return new SodaReader(file, world).read();
}

class SodaReader {
  readonly #file: ForeignFile;
  readonly #world: SodaWorld;
  #variables: SodaVariables;
  readonly #drafts: CheckDraft[] = [];
  readonly #filters = new Map<string, string>();
  readonly #columns = new Map<string, Map<string, YamlEntry[]>>();

  constructor(file: ForeignFile, world: SodaWorld) {
    this.#file = file;
    this.#world = world;
    this.#variables = world.variables;
  }

  read(): readonly CheckDraft[] {
    const { root, problems } = readYaml(this.#file.text);
    for (const problem of problems)
      if (problem.kind !== 'duplicate-key')
        this.#refuse(
          this.#place(problem, `YAML: ${problem.detail}`),
          'the file is not YAML',
          'correct the file',
        );
    if (root === undefined) return this.#drafts;
    if (root.kind !== 'map') {
      this.#refuse(this.#place(root, 'the file'), 'the file has no sections', 'begin with checks for TABLE:');
      return this.#drafts;
    }
    this.#readSettings(root);
    for (const { key, value } of root.entries)
      this.#section(key.text.trim().replace(/\s+/g, ' '), key, value);
    return this.#drafts;
  }

  /** Variables, filters and column configurations may stand below the checks that use them. */
  #readSettings(root: YamlMap): void {
    const own = entryOf(root, 'variables')?.value;
    if (own?.kind === 'map') {
      const given = own.entries.flatMap(({ key, value }) =>
        value.kind === 'scalar' ? [[key.text, value.text] as const] : [],
      );
      this.#variables = new Map([...given, ...this.#variables]);
    }
    for (const { key, value } of root.entries) {
      const header = key.text.trim().replace(/\s+/g, ' ');
      const filter = FILTER.exec(header);
      if (filter !== null && value.kind === 'map')
        this.#filters.set(`${filter[1]} ${filter[2]}`, textAt(value, 'where')?.trim() ?? '');
      const configured = CONFIGURED.exec(header);
      if (configured === null || value.kind !== 'map') continue;
      const columns = this.#columns.get(configured[1] as string) ?? new Map<string, YamlEntry[]>();
      for (const entry of value.entries) {
        const [setting = '', column = ''] = entry.key.text.split(' for ').map((each) => each.trim());
        const list = columns.get(column.toLowerCase()) ?? [];
        list.push({ key: { ...entry.key, text: setting }, value: entry.value });
        columns.set(column.toLowerCase(), list);
      }
      this.#columns.set(configured[1] as string, columns);
    }
  }

  #section(header: string, key: YamlNode, content: YamlNode): void {
    const checks = CHECKS.exec(header);
    if (checks !== null) {
      this.#checks(content, checks[1] as string, checks[2]);
      return;
    }
    if (/^for each (?:dataset|table) /.test(header)) {
      this.#forEach(content, key);
      return;
    }
    if (header === 'checks') {
      this.#withoutTable(content);
      return;
    }
    if (header === 'variables' || /^(?:filter|configurations for) /.test(header)) return;
    const place = this.#place(key, header);
    if (/^for each column /.test(header)) {
      const inner = content.kind === 'map' ? entryOf(content, 'checks')?.value : undefined;
      const items = inner?.kind === 'list' ? inner.items : [key];
      for (const item of items)
        this.#refuse(
          this.#place(item, textOf(item) ?? header),
          'Soda itself has no meaning for this section',
          'write for each column (*_id): missing_count = 0 in the pack of a table',
        );
      return;
    }
    const other = OTHER_SECTIONS.find(([begins]) => begins.test(header));
    this.#refuse(
      place,
      other === undefined ? 'this section is not known' : 'this section has no checks',
      other?.[1] ?? 'look at its spelling: checks for TABLE, filter TABLE [name], for each dataset NAME',
    );
  }

  #checks(content: YamlNode, table: string, part?: string): void {
    if (content.kind !== 'list') {
      if (content.kind === 'scalar' && content.value === null) return;
      this.#refuse(
        this.#place(content, `checks for ${table}`),
        'the checks are not a list',
        'put "- " before each',
      );
      return;
    }
    const where = part === undefined ? undefined : this.#filters.get(`${table} ${part}`);
    let attributes: DataRecord = {};
    for (const item of content.items) {
      const entry = item.kind === 'map' ? item.entries[0] : undefined;
      if (entry?.key.text === 'attributes' && entry.value.kind === 'map') {
        attributes = plainData(entry.value) as DataRecord;
        continue;
      }
      if (part !== undefined && (where === undefined || where === ''))
        this.#refuse(
          this.#place(item, textOf(item) ?? ''),
          `the filter ${part} is not in this file`,
          `add filter ${table} [${part}] with its where`,
        );
      else
        this.#check(item, {
          table,
          part: part === undefined ? undefined : { name: part, where: where as string },
          attributes,
        });
    }
  }

  #check(
    item: YamlNode,
    given: { table: string; part: { name: string; where: string } | undefined; attributes: DataRecord },
  ): void {
    const text = textOf(item);
    const at = this.#place(item, text ?? '');
    const { table, part } = given;
    const about = { table, ...(part === undefined ? {} : { part }) };
    if (text === undefined || (item.kind === 'map' && item.entries.length > 1)) {
      const why = text === undefined ? 'the item is not a check' : 'the item has several keys';
      this.#drafts.push({ at, ...about, translation: refused(why, 'indent the settings below their check') });
      return;
    }
    const settings = item.kind === 'map' ? item.entries[0]?.value : undefined;
    const missing = new Set<string>();
    const fill = (each: string): string => {
      const filled = withVariables(each, this.#variables);
      for (const name of filled.missing) missing.add(name);
      return filled.text;
    };
    const filled = fill(text);
    const filledSettings = settings && mapTexts(settings, fill);
    const where = part && fill(part.where);
    if (missing.size > 0) {
      const names = [...missing].join(', ');
      const next = `give it a value: --variable ${[...missing][0]}=VALUE`;
      this.#drafts.push({ at, ...about, translation: refused(`the variable ${names} has no value`, next) });
      return;
    }
    const check = new SodaCheck({
      text: filled,
      settings: filledSettings,
      table: this.#world.tableOf(table),
      where,
      ...present(this.#columns.get(table)),
    });
    const translation = translateSodaCheck(check, {
      tableOf: this.#world.tableOf,
      attributes: given.attributes,
    });
    this.#drafts.push({
      at,
      table,
      ...(part === undefined ? {} : { part: { name: part.name, where: where as string } }),
      translation,
    });
  }

  #forEach(content: YamlNode, key: YamlNode): void {
    const checks = content.kind === 'map' ? entryOf(content, 'checks')?.value : undefined;
    const datasets =
      content.kind === 'map'
        ? (entryOf(content, 'datasets') ?? entryOf(content, 'tables'))?.value
        : undefined;
    const tables = this.#named(textsOf(datasets));
    if (checks?.kind !== 'list' || checks.items.length === 0) {
      this.#refuse(this.#place(key, 'for each dataset'), 'the checks are missing', 'add them below checks:');
      return;
    }
    for (const table of tables) this.#checks(checks, table);
    if (tables.length > 0) return;
    for (const item of checks.items)
      this.#refuse(
        this.#place(item, textOf(item) ?? ''),
        'no model of this project has one of these names',
        'write the checks for each table',
      );
  }

  /** Names as they are, patterns as the tables of the project that match. */
  #named(written: readonly string[]): readonly string[] {
    const patternOf = (text: string): ((table: string) => boolean) => {
      const pattern = text.replaceAll('%', '*');
      const [own, inSchema] = [wildcard(pattern), wildcard(`*.${pattern}`)];
      return (table) => own(table) || inSchema(table);
    };
    const excluded = written
      .filter((each) => each.startsWith('exclude '))
      .map((each) => patternOf(each.slice(8)));
    const included = written
      .filter((each) => !each.startsWith('exclude '))
      .map((each) => each.replace(/^include /, ''))
      .flatMap((each) => (each.includes('%') ? this.#world.tables.filter(patternOf(each)) : [each]));
    return [...new Set(included)].filter((table) => !excluded.some((fits) => fits(table)));
  }

  #withoutTable(content: YamlNode): void {
    for (const item of content.kind === 'list' ? content.items : [content])
      this.#refuse(
        this.#place(item, textOf(item) ?? 'checks'),
        'the check is of no table',
        'put it below checks for TABLE, with the table that its query reads',
      );
  }

  #place(at: { readonly start: number }, text: string): CheckPlace {
    const short = text.length > 120 ? `${text.slice(0, 119)}…` : text;
    return { file: this.#file.path, line: lineAt(this.#file.text, at.start), text: short };
  }

  #refuse(at: CheckPlace, why: string, next: string): void {
    this.#drafts.push({ at, translation: refused(why, next) });
  }
}

function textOf(item: YamlNode): string | undefined {
  if (item.kind === 'scalar') return item.value === null ? undefined : item.text;
  return item.kind === 'map' ? item.entries[0]?.key.text : undefined;
}

/** The node with every text run through a function; places stay. */
function mapTexts(node: YamlNode, change: (text: string) => string): YamlNode {
  switch (node.kind) {
    case 'list':
      return { ...node, items: node.items.map((item) => mapTexts(item, change)) };
    case 'map':
      return {
        ...node,
        entries: node.entries.map(({ key, value }) => ({
          key: { ...key, text: change(key.text) },
          value: mapTexts(value, change),
        })),
      };
    case 'scalar': {
      const text = change(node.text);
      return text === node.text
        ? node
        : { ...node, text, value: typeof node.value === 'string' ? text : node.value };
    }
  }
}

const present = (
  columns: ReadonlyMap<string, readonly YamlEntry[]> | undefined,
): { readonly columns?: ReadonlyMap<string, readonly YamlEntry[]> } =>
  columns === undefined ? {} : { columns };
