import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { CsvSettings } from '../../../domain/model-kind.ts';
import type {
  ExpectedRows,
  ModelTest,
  TestOutputs,
  TestRow,
  TestRows,
  TestTable,
} from '../../../domain/model-test.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { parseTime } from '../../../foundation/time/relative-date.ts';
import type { DataRecord } from '../../../foundation/yaml/data.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import type { YamlNode } from '../../../foundation/yaml/tree.ts';
import { testTimeOf } from '../test-variables.ts';
import { SOME_NOW } from './checked-text.ts';
import { columnTypes } from './column-types.ts';
import {
  type CsvSettingsValue,
  type ModelTestValue,
  modelTestsSchema,
  type TestTableValue,
  type WrittenRow,
} from './model-test-schema.ts';
import { readContent, readTree, templateDiagnostic } from './read-file.ts';
import type { TemplateContext } from './templates.ts';

export interface LoadedTests {
  readonly tests: readonly ModelTest[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The tests of one file. References are checked later, when models are known (`checkModelTests`). */
export function loadModelTests(
  file: SourceFile,
  context: TemplateContext & { readonly dialect: Dialect },
): LoadedTests {
  const tree = readTree(file, context);
  const isData = !/(^|\/)test[^/]*$/.test(file.path) && !looksLikeTests(tree.root);
  if (isData) return { tests: [], diagnostics: [] };
  if (tree.root === undefined) {
    const empty = diagnostic(
      'file.empty',
      { path: file.path },
      { at: { file: file.path, start: 0, end: 0 } },
    );
    return { tests: [], diagnostics: tree.diagnostics.length === 0 ? [empty] : tree.diagnostics };
  }
  const content = readContent(file, tree.root, modelTestsSchema);
  const templates = tree.templateProblems.map((problem) => templateDiagnostic(file.path, problem));
  const diagnostics = [...tree.diagnostics, ...templates, ...content.diagnostics];
  const tests = (content.value ?? []).flatMap(({ key, value }) => {
    const test = new TestBuilder(file.path, key, { diagnostics, dialect: context.dialect }).build(value);
    return test === undefined ? [] : [test];
  });
  return { tests, diagnostics };
}

function looksLikeTests(root: YamlNode | undefined): boolean {
  const keys = new Set(['model', 'outputs', 'semantic_query']);
  return (
    root?.kind === 'map' &&
    root.entries.some(
      ({ value }) => value.kind === 'map' && value.entries.some(({ key }) => keys.has(key.text)),
    )
  );
}

class TestBuilder {
  readonly #file: string;
  readonly #name: Located<string>;
  readonly #diagnostics: Diagnostic[];
  readonly #dialect: Dialect;

  constructor(
    file: string,
    name: Located<string>,
    context: { readonly diagnostics: Diagnostic[]; readonly dialect: Dialect },
  ) {
    this.#file = file;
    this.#name = name;
    this.#diagnostics = context.diagnostics;
    this.#dialect = context.dialect;
  }

  build(value: ModelTestValue): ModelTest | undefined {
    const at = rangeOf(this.#file, this.#name);
    const name = this.#name.value;
    const outputs = this.#outputs(value);
    if (outputs === undefined) this.#diagnostics.push(diagnostic('test.no-outputs', { name }, { at }));
    if (value.model === undefined && value.semantic_query === undefined)
      this.#diagnostics.push(diagnostic('test.no-subject', { name }, { at }));
    const inputs = (value.inputs ?? []).flatMap(({ key, value: table }) => this.#table(key, table));
    this.#checkTimes(value.vars ?? []);
    const common = {
      name,
      file: this.#file,
      ...(value.description === undefined ? {} : { description: value.description }),
      inputs,
      outputs: outputs ?? { ctes: [] },
      variables: Object.fromEntries(
        (value.vars ?? []).map(({ key, value: each }) => [key.value, each]),
      ) as DataRecord,
      ...(value.gateway === undefined ? {} : { gateway: value.gateway }),
      ...(value.schema === undefined ? {} : { schema: value.schema }),
      start: this.#name.start,
      end: this.#name.end,
      body: value.$at,
    };
    if (value.model !== undefined) {
      const given = { ...value, 'outputs.rows': value.outputs?.rows };
      for (const key of ['as', 'error', 'rows', 'outputs.rows'] as const)
        if (given[key] !== undefined)
          this.#diagnostics.push(diagnostic('test.semantic-only', { name, key }, { at }));
      return { ...common, subject: { kind: 'model', model: value.model } };
    }
    if (value.semantic_query === undefined) return undefined;
    const { value: query, members, start, end } = value.semantic_query;
    const as = value.as && {
      groups: value.as.groups ?? [],
      ...(value.as.principal === undefined ? {} : { principal: value.as.principal }),
    };
    const asked = as === undefined ? {} : { as };
    return { ...common, subject: { kind: 'semantic-query', query, members, ...asked, start, end } };
  }

  #checkTimes(variables: NonNullable<ModelTestValue['vars']>): void {
    for (const { key, value } of variables) {
      if (testTimeOf(key.value) === undefined || (typeof value !== 'string' && typeof value !== 'number'))
        continue;
      if (parseTime(String(value), SOME_NOW).kind === 'time') continue;
      const given = { key: key.value, value: String(value) };
      this.#diagnostics.push(diagnostic('test.bad-time', given, { at: rangeOf(this.#file, key) }));
    }
  }

  #table(name: Located<string>, table: TestTableValue): readonly TestTable[] {
    const rows = this.#rows(name, table);
    if (rows === undefined) return [];
    const written = isList(table.value)
      ? []
      : (table.value.columns ?? []).map(({ key, value }) => ({ name: key, type: value }));
    for (const { type, detail, at } of columnTypes(written, this.#dialect).problems)
      this.#diagnostics.push(diagnostic('test.bad-type', { type, detail }, { at: rangeOf(this.#file, at) }));
    return [{ name, rows, columns: written }];
  }

  #outputs(value: ModelTestValue): TestOutputs | undefined {
    const direct = value.rows ?? value.outputs?.rows;
    const query = value.outputs?.query;
    // Beside the outputs it holds for all of them, in one of them for that one.
    const isAllPartial = value.outputs?.partial === true;
    const expected = (name: Located<string>, table: TestTableValue): ExpectedRows | undefined => {
      const rows = this.#rows(name, table);
      const isPartial = isAllPartial || (!isList(table.value) && table.value.partial === true);
      return rows === undefined ? undefined : { rows, isPartial };
    };
    const ctes = (value.outputs?.ctes ?? []).flatMap(({ key, value: table }) => {
      const rows = expected(key, table);
      return rows === undefined ? [] : [{ name: key, ...rows }];
    });
    if (query !== undefined) {
      const rows = expected({ value: 'outputs.query', start: query.start, end: query.end }, query);
      return { ...(rows === undefined ? {} : { query: rows }), ctes };
    }
    if (direct !== undefined) {
      const rows = { kind: 'rows', rows: this.#written(direct), ...this.#place() } as const;
      return { query: { rows, isPartial: isAllPartial }, ctes };
    }
    if (value.error !== undefined) return { ctes, error: value.error };
    return value.outputs?.ctes === undefined ? undefined : { ctes };
  }

  #place(): { start: number; end: number } {
    return { start: this.#name.start, end: this.#name.end };
  }

  #rows(name: Located<string>, table: TestTableValue): TestRows | undefined {
    const { value, start, end } = table;
    if (isList(value)) return { kind: 'rows', rows: this.#written(value), start, end };
    const given = (['rows', 'query', 'path'] as const).filter((key) => value[key] !== undefined);
    const [first, second] = given;
    const at = rangeOf(this.#file, name);
    if (first === undefined)
      return void this.#diagnostics.push(diagnostic('test.no-rows', { name: name.value }, { at }));
    if (second !== undefined)
      return void this.#diagnostics.push(
        diagnostic('test.rows-and-query', { name: name.value, first, second }, { at }),
      );
    if (value.query !== undefined) return { kind: 'query', query: value.query };
    const csv = csvSettings(value.csv_settings);
    if (value.path !== undefined)
      return {
        kind: 'file',
        path: value.path,
        format: value.format ?? (/\.csv$/i.test(value.path.value) ? 'csv' : 'yaml'),
        csv,
      };
    const { rows } = value;
    if (rows === undefined) return undefined;
    if (isList(rows)) return { kind: 'rows', rows: this.#written(rows), start, end };
    if (value.format === 'csv')
      return { kind: 'csv-text', text: rows.value, csv, start: rows.start, end: rows.end };
    return void this.#diagnostics.push(
      diagnostic(
        'test.no-rows',
        { name: name.value },
        { at: rangeOf(this.#file, rows), hint: 'text is read as rows only with format: csv' },
      ),
    );
  }

  #written(rows: readonly WrittenRow[]): readonly TestRow[] {
    return rows.flatMap(({ row, found, start, end }) => {
      if (row !== undefined) return [row];
      this.#diagnostics.push(
        diagnostic(
          'test.bad-row',
          { found: found === 'list' ? 'a list' : 'a single value' },
          { at: { file: this.#file, start, end } },
        ),
      );
      return [];
    });
  }
}

function isList(value: unknown): value is readonly WrittenRow[] {
  return Array.isArray(value);
}

function csvSettings(value: CsvSettingsValue | undefined): Partial<CsvSettings> {
  if (value === undefined) return {};
  const { na_values, keep_default_na, $at, ...same } = value;
  const settings: Record<string, unknown> = {
    ...same,
    ...(na_values === undefined ? {} : { naValues: na_values }),
    ...(keep_default_na === undefined ? {} : { keepDefaultNa: keep_default_na }),
  };
  return settings as Partial<CsvSettings>;
}
