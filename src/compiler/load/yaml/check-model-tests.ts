import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Model } from '../../../domain/model.ts';
import type { ModelTest, TestCaller, TestRows } from '../../../domain/model-test.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import { tableNameOf } from './external-models.ts';

/** What checks need to know of a tested model. */
export type TestedModel = Pick<
  Model,
  'name' | 'columns' | 'hasAllColumns' | 'dependencies' | 'dialect' | 'commonTables'
> & {
  /** Absent for what could not be loaded. */
  readonly kind?: Pick<Model['kind'], 'kind'>;
};

/** Checks tests against the models: models, inputs, common tables and columns exist; names are unique. */
export function checkModelTests(
  tests: readonly ModelTest[],
  models: Iterable<TestedModel>,
  defaultCatalog?: string,
  groups?: ReadonlySet<string>,
): readonly Diagnostic[] {
  const byName = new Map([...models].map((model) => [model.name, model]));
  const diagnostics: Diagnostic[] = [];
  const seen = new Map<string, ModelTest>();
  for (const test of tests) {
    const other = seen.get(test.name);
    if (other === undefined) seen.set(test.name, test);
    else
      diagnostics.push(
        diagnostic(
          'test.duplicate-name',
          { name: test.name, other: other.file },
          { at: rangeOf(test.file, test) },
        ),
      );
    new TestCheck(test, { models: byName, diagnostics, defaultCatalog, groups }).run();
  }
  return diagnostics;
}

class TestCheck {
  readonly #test: ModelTest;
  readonly #models: ReadonlyMap<string, TestedModel>;
  readonly #diagnostics: Diagnostic[];
  readonly #defaultCatalog: string | undefined;
  readonly #groups: ReadonlySet<string> | undefined;

  constructor(
    test: ModelTest,
    context: {
      readonly models: ReadonlyMap<string, TestedModel>;
      readonly diagnostics: Diagnostic[];
      readonly defaultCatalog: string | undefined;
      readonly groups: ReadonlySet<string> | undefined;
    },
  ) {
    this.#test = test;
    this.#models = context.models;
    this.#diagnostics = context.diagnostics;
    this.#defaultCatalog = context.defaultCatalog;
    this.#groups = context.groups;
  }

  run(): void {
    const { subject } = this.#test;
    for (const input of this.#test.inputs)
      this.#columns(
        input.rows,
        this.#find(input.name.value),
        input.columns.map((column) => column.name.value),
      );
    if (subject.kind !== 'model') {
      this.#caller(subject.as);
      return;
    }
    const model = this.#find(subject.model.value);
    if (model === undefined) {
      const hint = didYouMean(subject.model.value, this.#models.keys());
      this.#diagnostics.push(
        diagnostic(
          'test.unknown-model',
          { name: this.#test.name, model: subject.model.value },
          { at: this.#at(subject.model), hint },
        ),
      );
      return;
    }
    this.#inputs(model, subject.model);
    const { query, ctes } = this.#test.outputs;
    if (query !== undefined) this.#columns(query.rows, model, []);
    for (const { name } of ctes)
      if (model.commonTables !== undefined && !model.commonTables.includes(name.value.toLowerCase()))
        this.#diagnostics.push(
          diagnostic(
            'test.unknown-cte',
            { model: model.name, name: name.value },
            { at: this.#at(name), hint: didYouMean(name.value, model.commonTables) },
          ),
        );
  }

  /** Groups of a caller that no user is in, where users are listed. */
  #caller(as: TestCaller | undefined): void {
    const groups = this.#groups;
    for (const group of as?.groups ?? [])
      if (groups !== undefined && !groups.has(group.value))
        this.#diagnostics.push(
          diagnostic(
            'semantic.unknown-group',
            { name: group.value },
            { at: this.#at(group), hint: didYouMean(group.value, groups) },
          ),
        );
  }

  #at(located: { readonly start: number; readonly end: number }) {
    return rangeOf(this.#test.file, located);
  }

  #find(name: string): TestedModel | undefined {
    return this.#models.get(this.#folded(name));
  }

  #folded(name: string): string {
    return tableNameOf(name, 'duckdb', this.#defaultCatalog) ?? name.toLowerCase();
  }

  /** Without any inputs the model runs on what it makes itself; with some, it needs all. */
  #inputs(model: TestedModel, at: Located<string>): void {
    const given = new Set(this.#test.inputs.map((input) => this.#folded(input.name.value)));
    // A model that reads nothing and whose columns are open is one that could not be read.
    const isUnread = model.dependencies.length === 0 && !model.hasAllColumns;
    if (given.size === 0 || isUnread) return;
    const read = this.#read(model, given);
    for (const input of read)
      if (!given.has(input) && input !== model.name)
        this.#diagnostics.push(
          diagnostic(
            'test.missing-input',
            { model: model.name, input, name: this.#test.name },
            { at: this.#at(at) },
          ),
        );
    for (const { name } of this.#test.inputs) {
      const folded = this.#folded(name.value);
      if (folded !== model.name && !read.includes(folded))
        this.#diagnostics.push(
          diagnostic(
            'test.unknown-input',
            { model: model.name, input: name.value },
            { at: this.#at(name), hint: didYouMean(name.value, read) },
          ),
        );
    }
  }

  /** The tables that the query reads when embedded models without rows of their own are written out in it. */
  #read({ dependencies }: TestedModel, given: ReadonlySet<string>): readonly string[] {
    return dependencies.flatMap((name) => {
      const parent = this.#models.get(name);
      const isInlined = parent?.kind?.kind === 'embedded' && !given.has(name);
      return isInlined ? this.#read(parent, given) : [name];
    });
  }

  #columns(rows: TestRows, model: TestedModel | undefined, more: readonly string[]): void {
    if (rows.kind !== 'rows' || model?.hasAllColumns !== true) return;
    const known = new Set([
      ...model.columns.map((column) => column.name.toLowerCase()),
      ...more.map((name) => name.toLowerCase()),
    ]);
    const reported = new Set<string>();
    for (const row of rows.rows)
      for (const { column, start, end } of row) {
        const name = column.toLowerCase();
        if (known.has(name) || reported.has(name)) continue;
        reported.add(name);
        this.#diagnostics.push(
          diagnostic(
            'test.unknown-column',
            { table: model.name, column },
            { at: this.#at({ start, end }), hint: didYouMean(column, known) },
          ),
        );
      }
  }
}
