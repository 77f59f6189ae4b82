import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { readYaml } from '../../../foundation/yaml/read-yaml.ts';
import { entryOf, type YamlMap, type YamlNode } from '../../../foundation/yaml/tree.ts';
import { type DbtNames, filledText, tableOfText } from './dbt-jinja.ts';
import { DbtTest } from './dbt-test.ts';
import {
  type CheckDraft,
  type CheckPlace,
  type ForeignFile,
  refused,
  type Translation,
} from './imported-check.ts';
import { lineAt, textAt, textsOf } from './plain-data.ts';
import { sourceFreshness } from './source-freshness.ts';
import { type DbtConfig, translateDbtTest } from './translate-dbt-test.ts';

export interface DbtWorld extends DbtNames {
  readonly dialect: Dialect;
}

/** What all tests of a node inherit. */
interface NodeOf {
  readonly table: string;
  readonly owner: string | undefined;
  readonly column?: string;
}

const LISTS = ['models', 'seeds', 'snapshots', 'sources'] as const;
const CONFIG = [
  'severity', 'warn_if', 'error_if', 'where', 'limit', 'tags', 'enabled', 'store_failures', 'store_failures_as', 'meta', 'fail_calc',
  'database', 'schema', 'alias', 'group',
]; // biome-ignore format: a table

/** Whether a YAML file has anything that dbt calls properties. */
export function isDbtProperties(root: YamlNode | undefined): root is YamlMap {
  return (
    root?.kind === 'map' &&
    [...LISTS, 'unit_tests', 'data_tests'].some((key) => entryOf(root, key) !== undefined)
  );
}

/** Every test of a properties file (schema.yml), translated: of models, seeds, snapshots and sources, with the freshness of sources. */
export function readDbt(file: ForeignFile, world: DbtWorld): readonly CheckDraft[] {
  return new DbtReader(file, world).read();
}

class DbtReader {
  readonly #file: ForeignFile;
  readonly #world: DbtWorld;
  readonly #drafts: CheckDraft[] = [];

  constructor(file: ForeignFile, world: DbtWorld) {
    this.#file = file;
    this.#world = world;
  }

  read(): readonly CheckDraft[] {
    const { root, problems } = readYaml(this.#file.text);
    for (const problem of problems)
      if (problem.kind !== 'duplicate-key')
        this.#drafts.push({
          at: this.#place(problem, `YAML: ${problem.detail}`),
          translation: refused('the file is not YAML', 'correct the file'),
        });
    if (!isDbtProperties(root)) return this.#drafts;
    for (const list of ['models', 'seeds', 'snapshots'])
      for (const node of itemsOf(entryOf(root, list)?.value)) this.#node(node, this.#world.ref);
    for (const source of itemsOf(entryOf(root, 'sources')?.value)) this.#source(source);
    for (const test of itemsOf(entryOf(root, 'unit_tests')?.value))
      this.#drafts.push({
        at: this.#place(test, `unit test ${textAt(test, 'name') ?? ''}`),
        translation: refused(
          'unit tests of models are tests and no checks',
          'write it as a file in tests/, with inputs and outputs; plinth test runs it',
        ),
      });
    return this.#drafts;
  }

  #source(source: YamlMap): void {
    const name = textAt(source, 'name') ?? '';
    for (const table of itemsOf(entryOf(source, 'tables')?.value)) {
      this.#node(table, (written) => this.#world.source(name, written));
      const of = this.#world.source(name, textAt(table, 'name') ?? '');
      const found = sourceFreshness(table, source);
      if (found === undefined) continue;
      const node = { table: of, owner: ownerOf(table) ?? ownerOf(source) };
      this.#drafts.push({
        at: this.#place(found.at, `freshness of ${name}.${textAt(table, 'name') ?? ''}`),
        table: of,
        translation: withOwner(found.translation, node.owner),
      });
    }
  }

  #node(node: YamlMap, tableOf: (name: string) => string): void {
    const name = textAt(node, 'name') ?? '';
    const of: NodeOf = { table: tableOf(name), owner: ownerOf(node) };
    this.#tests(node, of);
    for (const column of itemsOf(entryOf(node, 'columns')?.value)) {
      const columnName = textAt(column, 'name');
      if (columnName !== undefined) this.#tests(column, { ...of, column: columnName });
    }
    for (const version of itemsOf(entryOf(node, 'versions')?.value)) {
      const of2: NodeOf = {
        ...of,
        table: tableOf(textAt(version, 'defined_in') ?? `${name}_v${textAt(version, 'v') ?? ''}`),
      };
      this.#tests(version, of2);
      for (const column of itemsOf(entryOf(version, 'columns')?.value)) {
        const columnName = textAt(column, 'name');
        if (columnName !== undefined) this.#tests(column, { ...of2, column: columnName });
      }
    }
  }

  #tests(owner: YamlMap, of: NodeOf): void {
    for (const key of ['tests', 'data_tests']) {
      const list = entryOf(owner, key)?.value;
      const items = list?.kind === 'list' ? list.items : list === undefined || isNull(list) ? [] : [list];
      for (const item of items) this.#test(item, of);
    }
  }

  #test(item: YamlNode, of: NodeOf): void {
    const written = testOf(item);
    const at = this.#place(item, [written?.name ?? 'test', of.column].filter(Boolean).join(' '));
    const add = (translation: Translation): void => {
      this.#drafts.push({ at, table: of.table, translation });
    };
    if (written === undefined)
      return void add(refused('the item is not a test', 'write its name, or its name and arguments'));
    let unknown: string | undefined;
    const fill = (text: string, isTable = false): string => {
      const named = isTable ? tableOfText(text, this.#world) : text;
      const filled = filledText(named, this.#world);
      unknown ??= filled.unknown?.template;
      return filled.text;
    };
    const values = new Map(
      [...written.arguments].map(([key, node]) => [
        key,
        mapTexts(node, (text) => fill(text, isTableKey(key))),
      ]),
    );
    const config = configOf(written, (text) => fill(text), of.owner);
    if (unknown !== undefined)
      return void add(
        refused(
          `the template ${unknown} is filled in by dbt only`,
          'write its value, or give it with --variable NAME=VALUE',
        ),
      );
    const column = of.column ?? textOf(values.get('column_name'));
    values.delete('column_name');
    const table =
      config.where === undefined ? of.table : `(SELECT * FROM ${of.table} WHERE ${config.where}) AS chosen`;
    const test = new DbtTest({
      name: written.name,
      column,
      table,
      dialect: this.#world.dialect,
      tableOf: (text) => tableOfText(text, this.#world),
      arguments: values,
    });
    return void add(translateDbtTest(test, config));
  }

  #place(at: { readonly start: number }, text: string): CheckPlace {
    return { file: this.#file.path, line: lineAt(this.#file.text, at.start), text: text.trim() };
  }
}

interface WrittenTest {
  readonly name: string;
  readonly arguments: ReadonlyMap<string, YamlNode>;
  readonly settings: ReadonlyMap<string, YamlNode>;
}

/** `- unique`, `- accepted_values: {values: …}`, or a map with test_name; arguments may have a key of their own. */
function testOf(item: YamlNode): WrittenTest | undefined {
  if (item.kind === 'scalar')
    return item.value === null ? undefined : { name: item.text, arguments: new Map(), settings: new Map() };
  if (item.kind !== 'map') return undefined;
  const named = textAt(item, 'test_name');
  const [entry] = item.entries;
  if (
    named === undefined &&
    (entry === undefined ||
      (item.entries.length > 1 && entry.value.kind === 'scalar' && !isNull(entry.value)))
  )
    return undefined;
  const name = named ?? (entry?.key.text as string);
  const outer =
    named === undefined ? item.entries.slice(1) : item.entries.filter(({ key }) => key.text !== 'test_name');
  const body = named === undefined && entry?.value.kind === 'map' ? entry.value.entries : [];
  const settings = new Map<string, YamlNode>();
  const values = new Map<string, YamlNode>();
  for (const { key, value } of [...body, ...outer]) {
    if (key.text === 'config' && value.kind === 'map')
      for (const each of value.entries) settings.set(each.key.text, each.value);
    else if (key.text === 'arguments' && value.kind === 'map')
      for (const each of value.entries) values.set(each.key.text, each.value);
    else if (CONFIG.includes(key.text) || ['name', 'description'].includes(key.text))
      settings.set(key.text, value);
    else values.set(key.text, value);
  }
  return { name, arguments: values, settings };
}

function configOf(
  { settings }: WrittenTest,
  fill: (text: string) => string,
  owner: string | undefined,
): DbtConfig {
  const text = (key: string): string | undefined => {
    const found = textOf(settings.get(key));
    return found === undefined ? undefined : fill(found).trim();
  };
  const meta = settings.get('meta');
  const others = ['limit', 'fail_calc', 'store_failures_as'].filter((key) => text(key) !== undefined);
  return {
    name: text('name'),
    description: text('description'),
    owner: (meta?.kind === 'map' ? textAt(meta, 'owner') : undefined) ?? owner,
    tags: textsOf(settings.get('tags')),
    severity: (text('severity') ?? 'error').toLowerCase(),
    warnIf: text('warn_if') ?? '!= 0',
    errorIf: text('error_if') ?? '!= 0',
    where: text('where'),
    isEnabled: !/^false$/i.test(text('enabled') ?? 'true'),
    others,
  };
}

/** `meta.owner` of a node, or of its configuration; the name of its group where there is none. */
function ownerOf(node: YamlMap): string | undefined {
  for (const holder of [node, entryOf(node, 'config')?.value]) {
    if (holder?.kind !== 'map') continue;
    const meta = entryOf(holder, 'meta')?.value;
    const owner = (meta?.kind === 'map' ? textAt(meta, 'owner') : undefined) ?? textAt(holder, 'group');
    if (owner !== undefined) return owner;
  }
  return undefined;
}

function withOwner(translation: Translation, owner: string | undefined): Translation {
  if (translation.kind === 'refused' || owner === undefined) return translation;
  return {
    ...translation,
    rules: translation.rules.map((draft) => ({ ...draft, options: { owner, ...draft.options } })),
  };
}

const isTableKey = (key: string): boolean => ['to', 'compare_model'].includes(key);

function mapTexts(node: YamlNode, change: (text: string) => string): YamlNode {
  if (node.kind === 'list') return { ...node, items: node.items.map((item) => mapTexts(item, change)) };
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return node;
  const text = change(node.text);
  return text === node.text ? node : { ...node, text, value: text };
}

const textOf = (node: YamlNode | undefined): string | undefined =>
  node?.kind === 'scalar' && node.value !== null ? node.text : undefined;

const isNull = (node: YamlNode): boolean => node.kind === 'scalar' && node.value === null;

function itemsOf(node: YamlNode | undefined): readonly YamlMap[] {
  return node?.kind === 'list' ? node.items.filter((item): item is YamlMap => item.kind === 'map') : [];
}
