import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure } from '../../domain/failure.ts';
import type { FileColumns, FileTable } from '../../domain/file-schemas.ts';
import type { Column, Model, ModelDefinition } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { nearest } from '../../foundation/diagnostics/nearest.ts';
import { orderByDependencies } from '../../foundation/graph.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { type AnalyzedModel, analyzeModel } from './analyze-model.ts';
import type { CompileContext } from './compile-context.ts';
import { internalError } from './file-diagnostic.ts';
import type { ModelAnalysis } from './model-facts.ts';
import type { ParsedModel } from './parsed-model.ts';
import { type KnownColumns, resolveModel } from './resolve-model.ts';

/** A definition with what an earlier load already found out about it, if that still holds. */
export interface ModelToResolve {
  readonly definition: ModelDefinition;
  /** The definition as its file gave it; differs for seeds, which are completed with their file's header. */
  readonly origin: ModelDefinition;
  readonly earlier: ModelAnalysis | undefined;
}

export interface ResolvedModels {
  /** Dependencies first. */
  readonly models: readonly Model[];
  readonly diagnostics: readonly Diagnostic[];
  /** What is now known of each definition, in the order given: what the cache keeps. */
  readonly analyses: readonly ModelAnalysis[];
  /** How many queries were read and how many resolved in this load; the rest was known. */
  readonly work: { readonly analyzed: number; readonly resolved: number };
}

interface Indexed {
  readonly index: number;
  readonly definition: ModelDefinition;
}

const NO_FILES: ReadonlyMap<string, FileColumns> = new Map();

/** Trees of this many characters of SQL are kept between the two passes; beyond, a query is read a second time rather than held in memory. */
const KEPT_TEXT_MAX = 4_000_000;

/**
 * Two passes over the models:
 *   1. in any order: expand macros, read the query, find the tables it names      → dependencies, order, cycles
 *   2. dependencies first: columns, types and lineage from the columns of the tables and files read
 * Each pass takes over what an earlier load found when its inputs are the same.
 */
export async function resolveModels(
  given: readonly ModelToResolve[],
  compileContext: CompileContext,
  brokenNames: ReadonlySet<string>,
  describeFiles: (tables: readonly FileTable[]) => Promise<ReadonlyMap<string, FileColumns>> = async () =>
    new Map(),
): Promise<ResolvedModels> {
  const byName = new Map<string, Indexed>();
  given.forEach(({ definition }, index) => {
    if (!byName.has(definition.name)) byName.set(definition.name, { index, definition });
  });
  const { analyses, parsed, analyzed } = await analyzeModels(given, compileContext);
  const { order, cycles } = orderByDependencies(
    new Map(
      [...byName].map(([name, { index, definition }]) => [
        name,
        dependenciesOf(definition, analyses[index] as ModelAnalysis),
      ]),
    ),
  );
  const inCycle = new Set(cycles.flat());
  const diagnostics = cycles.map((cycle) => describeCycle(cycle, byName, analyses));

  const read = analyses.flatMap(({ files = [] }) => files);
  const files = read.length === 0 ? NO_FILES : await describeFiles(read);
  const pass: ResolvePass = {
    compileContext,
    files,
    analyses,
    parsed,
    models: new Map(),
    digests: new Map(),
  };
  let resolved = 0;
  for (const name of order) {
    const indexed = byName.get(name) as Indexed;
    if (await resolveIndexed(indexed, pass)) resolved++;
    const { diagnostics: ofText, resolution } = analyses[indexed.index] as ModelAnalysis;
    // In a circle no columns are known, so what resolving says about them would only repeat the circle.
    diagnostics.push(...ofText, ...(inCycle.has(name) ? [] : (resolution?.diagnostics ?? [])));
  }
  diagnostics.push(...undeclaredExternals(byName, analyses, brokenNames));
  return { models: [...pass.models.values()], diagnostics, analyses, work: { analyzed, resolved } };
}

/** The first pass. Trees of queries are among what it found out, as many as may be kept, by the index of their model. */
async function analyzeModels(
  given: readonly ModelToResolve[],
  compileContext: CompileContext,
): Promise<{
  readonly analyses: ModelAnalysis[];
  readonly parsed: Map<number, ParsedModel>;
  readonly analyzed: number;
}> {
  const analyses: ModelAnalysis[] = [];
  const parsed = new Map<number, ParsedModel>();
  let keptText = 0;
  let analyzed = 0;
  for (const [index, { definition, earlier }] of given.entries()) {
    if (earlier !== undefined) {
      analyses.push(earlier);
      continue;
    }
    const found = await survive(definition, undefined, () =>
      analyzeModel(definition, compileContext, () => undefined),
    );
    if (definition.source.kind === 'sql') analyzed++;
    analyses.push(found.analysis);
    if (found.parsed !== undefined && keptText < KEPT_TEXT_MAX && !needsColumns(found.analysis)) {
      keptText += found.parsed.text.length;
      parsed.set(index, found.parsed);
    }
  }
  return { analyses, parsed, analyzed };
}

/** The second pass: what is known of the models before, and of this one after it. */
interface ResolvePass {
  readonly compileContext: CompileContext;
  readonly files: ReadonlyMap<string, FileColumns>;
  readonly analyses: ModelAnalysis[];
  readonly parsed: Map<number, ParsedModel>;
  readonly models: Map<string, Model>;
  /** Of the columns of each model. */
  readonly digests: Map<string, string>;
}

/** Adds a model, all of whose dependencies were added before. False when an earlier load resolved it with the same inputs. */
async function resolveIndexed({ index, definition }: Indexed, pass: ResolvePass): Promise<boolean> {
  const { analyses, parsed, models, digests } = pass;
  const before = analyses[index] as ModelAnalysis;
  const dependencies = dependenciesOf(definition, before);
  const schemaKey = schemaKeyOf(before, dependencies, pass);
  const isNew = needsResolving(definition, before, schemaKey);
  if (isNew) {
    const { analysis } = await survive(definition, before, () =>
      resolvedAnalysis(definition, { before, parsed: parsed.get(index), schemaKey }, pass),
    );
    analyses[index] = analysis;
  }
  parsed.delete(index);
  const model = modelOf(definition, analyses[index] as ModelAnalysis, dependencies);
  models.set(definition.name, model);
  digests.set(definition.name, columnsDigest(model));
  return isNew;
}

/** Changes when the columns of something change that the model reads. */
function schemaKeyOf(
  { files: read = [] }: ModelAnalysis,
  dependencies: readonly string[],
  { digests, files }: ResolvePass,
): string {
  const ofFiles = read.map(({ text }) => [text, files.get(text) ?? null]);
  return hash128(
    JSON.stringify(dependencies.map((dependency) => [dependency, digests.get(dependency) ?? ''])),
    ...(ofFiles.length === 0 ? [] : [JSON.stringify(ofFiles)]),
  );
}

async function resolvedAnalysis(
  definition: ModelDefinition,
  {
    before,
    parsed,
    schemaKey,
  }: {
    readonly before: ModelAnalysis;
    readonly parsed: ParsedModel | undefined;
    readonly schemaKey: string;
  },
  { compileContext, files, models }: ResolvePass,
): Promise<AnalyzedModel> {
  const columnsOf = (table: string): KnownColumns | undefined => {
    const model = models.get(table);
    return model === undefined ? undefined : { columns: model.columns, isComplete: model.hasAllColumns };
  };
  const tableName = (parts: readonly string[]): string =>
    compileContext.tableName(parts.map(asWritten), definition.dialect);
  const read: AnalyzedModel =
    parsed === undefined
      ? await analyzeModel(definition, compileContext, (table) => {
          const found = columnsOf(tableName(table.split('.')));
          return found?.isComplete === true ? found.columns : undefined;
        })
      : { analysis: before, parsed };
  if (read.parsed === undefined) return read;
  const resolution = resolveModel(definition, read.parsed, { schemaKey, columnsOf, files, tableName });
  return { analysis: { ...read.analysis, resolution } };
}

/** A bug of ours costs the one model it happens on, never the load; failures of the world still end it. */
async function survive(
  definition: ModelDefinition,
  before: ModelAnalysis | undefined,
  work: () => Promise<AnalyzedModel>,
): Promise<AnalyzedModel> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { inputs = {}, tables = [], diagnostics = [] } = before ?? {};
    const found = internalError(definition, error);
    return { analysis: { inputs, tables, diagnostics: [...diagnostics, found], isTransient: true } };
  }
}

const asWritten = (name: string): { readonly name: string; readonly quoted: boolean } => ({
  name,
  quoted: true,
});

/** Only a query that could be read can be resolved; seeds and externals have the columns they declare. */
function needsResolving(definition: ModelDefinition, analysis: ModelAnalysis, schemaKey: string): boolean {
  return (
    definition.source.kind === 'sql' &&
    analysis.queryHash !== undefined &&
    analysis.resolution?.schemaKey !== schemaKey
  );
}

/** `@STAR` and its like see columns only in the second pass, so their first reading is not the last. */
function needsColumns(analysis: ModelAnalysis): boolean {
  return analysis.tables.some(({ isAsked }) => isAsked === true);
}

function dependenciesOf(definition: ModelDefinition, analysis: ModelAnalysis): readonly string[] {
  const names = new Set([...analysis.tables.map(({ name }) => name), ...definition.declaredDependencies]);
  // A model that reads itself (an incremental one its own past) does not wait for itself.
  names.delete(definition.name);
  return [...names].sort();
}

function modelOf(
  definition: ModelDefinition,
  analysis: ModelAnalysis,
  dependencies: readonly string[],
): Model {
  const { resolution, queryHash, statementsHash, hiddenHash, virtualUpdateHash, commonTables, inputs } =
    analysis;
  return {
    ...definition,
    dependencies,
    columns: resolution?.columns ?? withDescriptions(definition),
    hasAllColumns: resolution?.hasAllColumns ?? ownColumns(definition) !== undefined,
    lineage: resolution?.lineage ?? [],
    reads: resolution?.reads ?? {},
    ...(resolution === undefined ? {} : { deciding: resolution.deciding, joining: resolution.joining }),
    ...(queryHash === undefined ? {} : { queryHash }),
    ...(statementsHash === undefined ? {} : { statementsHash }),
    ...(hiddenHash === undefined ? {} : { hiddenHash }),
    ...(virtualUpdateHash === undefined ? {} : { virtualUpdateHash }),
    ...(commonTables === undefined ? {} : { commonTables }),
    usedMacros: inputs,
  };
}

/** What the file itself says the columns are: declared, or the header of a seed. */
function ownColumns({
  source,
  declaredColumns,
}: ModelDefinition): readonly { readonly name: string; readonly type: string }[] | undefined {
  return source.kind === 'seed' ? (source.columns ?? declaredColumns) : declaredColumns;
}

function withDescriptions(definition: ModelDefinition): readonly Column[] {
  return (ownColumns(definition) ?? []).map(({ name, type }) => {
    const description = definition.columnDescriptions[name.toLowerCase()];
    return description === undefined ? { name, type } : { name, type, description };
  });
}

function columnsDigest({ columns, hasAllColumns }: Model): string {
  return hash128(String(hasAllColumns), JSON.stringify(columns.map(({ name, type }) => [name, type])));
}

function describeCycle(
  cycle: readonly string[],
  byName: ReadonlyMap<string, Indexed>,
  analyses: readonly ModelAnalysis[],
): Diagnostic {
  const { index, definition } = byName.get(cycle[0] as string) as {
    index: number;
    definition: ModelDefinition;
  };
  const use = analyses[index]?.tables.find(({ name }) => name === cycle[1]);
  const at =
    use === undefined ? definition.ranges['name'] : { file: definition.file, start: use.start, end: use.end };
  return diagnostic('model.cycle', { path: cycle.join(' → ') }, { at });
}

/** One problem per table that no file defines, at the first place that reads it: real projects have many of them. An error where it looks like a model that was meant. */
function undeclaredExternals(
  byName: ReadonlyMap<string, Indexed>,
  analyses: readonly ModelAnalysis[],
  brokenNames: ReadonlySet<string>,
): readonly Diagnostic[] {
  const users = new Map<string, { count: number; at: NonNullable<Diagnostic['at']> }>();
  for (const { index, definition } of byName.values())
    for (const { name, start, end } of analyses[index]?.tables ?? []) {
      if (byName.has(name) || brokenNames.has(name)) continue;
      const seen = users.get(name);
      if (seen === undefined) users.set(name, { count: 1, at: { file: definition.file, start, end } });
      else seen.count++;
    }
  const bySchema = Map.groupBy(byName.keys(), schemaOf);
  return [...users].map(([table, { count, at }]) => {
    const readers = count === 1 ? 'one model' : `${count} models`;
    const meant = meantModel(table, bySchema.get(schemaOf(table)) ?? []);
    return meant === undefined
      ? diagnostic('model.undeclared-external', { table, readers }, { at })
      : diagnostic('model.no-such-table', { table, readers, meant }, { at });
  });
}

const MISSPELLED_MIN = 4;

/** All but the last part of a name, with the dot behind it. */
const schemaOf = (name: string): string => name.slice(0, name.lastIndexOf('.') + 1);

/** Which of the models of its schema is called almost like this: a letter more, less or another, not another number. */
function meantModel(table: string, siblings: readonly string[]): string | undefined {
  const schema = schemaOf(table);
  const word = table.slice(schema.length);
  if (word.length < MISSPELLED_MIN) return undefined;
  const withoutNumbers = (name: string): string => name.replaceAll(/\d+/g, '');
  const alike = siblings
    .map((name) => name.slice(schema.length))
    .filter((name) => Math.abs(name.length - word.length) <= 1)
    .filter((name) => withoutNumbers(name) !== withoutNumbers(word));
  const found = nearest(word, alike);
  return found === undefined ? undefined : `${schema}${found}`;
}
