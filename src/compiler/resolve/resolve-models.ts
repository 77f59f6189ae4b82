import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Model, ModelDefinition } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { orderByDependencies } from '../../foundation/graph.ts';
import { hash128 } from '../../foundation/hash.ts';
import { type AnalyzedModel, analyzeModel, type ParsedModel } from './analyze-model.ts';
import type { ModelAnalysis, ModelResolution } from './model-facts.ts';
import { type KnownColumns, resolveModel } from './resolve-model.ts';
import type { Surroundings } from './surroundings.ts';

/** A definition with what an earlier load already found out about it, if that still holds. */
export interface ModelToResolve {
  readonly definition: ModelDefinition;
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

/** Trees of this many characters of SQL are kept between the two passes; beyond, a query is read a second time rather than held in memory. */
const KEPT_TEXT_MAX = 4_000_000;

/**
 * Two passes over the models:
 *   1. in any order: expand macros, read the query, find the tables it names      → dependencies, order, cycles
 *   2. dependencies first: columns, types and lineage from the columns of the tables read
 * Each pass takes over what an earlier load found when its inputs are the same.
 */
export async function resolveModels(
  given: readonly ModelToResolve[],
  surroundings: Surroundings,
): Promise<ResolvedModels> {
  const diagnostics: Diagnostic[] = [];
  const byName = new Map<string, { readonly index: number; readonly definition: ModelDefinition }>();
  given.forEach(({ definition }, index) => {
    if (!byName.has(definition.name)) byName.set(definition.name, { index, definition });
  });

  const analyses: ModelAnalysis[] = [];
  const kept = new Map<number, ParsedModel>();
  let keptText = 0;
  let analyzed = 0;
  for (const [index, { definition, earlier }] of given.entries()) {
    if (earlier !== undefined) {
      analyses.push(earlier);
      continue;
    }
    const found: AnalyzedModel = await analyzeModel(definition, surroundings, () => undefined);
    analyzed++;
    analyses.push(found.analysis);
    if (found.parsed !== undefined && keptText < KEPT_TEXT_MAX && !hasAskedForColumns(found.analysis)) {
      keptText += found.parsed.text.length;
      kept.set(index, found.parsed);
    }
  }

  const { order, cycles } = orderByDependencies(
    new Map(
      [...byName].map(([name, { index, definition }]) => [
        name,
        dependenciesOf(definition, analyses[index] as ModelAnalysis),
      ]),
    ),
  );
  const inCycle = new Set(cycles.flat());
  for (const cycle of cycles) diagnostics.push(describeCycle(cycle, byName, analyses));

  const digests = new Map<string, string>();
  const models = new Map<string, Model>();
  let resolved = 0;
  const columnsOf = (table: string): KnownColumns | undefined => {
    const model = models.get(table);
    return model === undefined ? undefined : { columns: model.columns, isComplete: model.hasAllColumns };
  };
  for (const name of order) {
    const { index, definition } = byName.get(name) as { index: number; definition: ModelDefinition };
    let analysis = analyses[index] as ModelAnalysis;
    const dependencies = dependenciesOf(definition, analysis);
    const schemaKey = hash128(
      ...dependencies.flatMap((dependency) => [dependency, digests.get(dependency) ?? '']),
    );
    if (
      analysis.resolution?.schemaKey !== schemaKey &&
      !(
        analysis.resolution === undefined &&
        analysis.queryHash === undefined &&
        definition.source.kind === 'sql'
      )
    ) {
      let parsed = kept.get(index);
      if (parsed === undefined && definition.source.kind === 'sql') {
        const again = await analyzeModel(
          definition,
          surroundings,
          (table) => columnsOf(surroundings.canonicalName(table.split('.')))?.columns,
        );
        analysis = again.analysis;
        parsed = again.parsed;
      }
      resolved++;
      analysis = {
        ...analysis,
        resolution: resolutionOf(definition, parsed, {
          schemaKey,
          columnsOf,
          canonicalName: surroundings.canonicalName,
        }),
      };
      analyses[index] = analysis;
    }
    kept.delete(index);
    const model = modelOf(definition, analysis, dependencies);
    models.set(name, model);
    digests.set(name, columnsDigest(model));
    diagnostics.push(
      ...analysis.diagnostics,
      ...(analysis.resolution?.diagnostics ?? []).filter(() => !inCycle.has(name)),
    );
  }
  diagnostics.push(...undeclaredExternals(byName, analyses));
  return { models: [...models.values()], diagnostics, analyses, work: { analyzed, resolved } };
}

/** `@STAR` and its like see columns only in the second pass, so their first reading is not the last. */
function hasAskedForColumns(analysis: ModelAnalysis): boolean {
  return analysis.tables.some(({ isAsked }) => isAsked === true);
}

function dependenciesOf(definition: ModelDefinition, analysis: ModelAnalysis): readonly string[] {
  const names = new Set([...analysis.tables.map(({ name }) => name), ...definition.declaredDependencies]);
  // A model that reads itself (an incremental one its own past) does not wait for itself.
  names.delete(definition.name);
  return [...names].sort();
}

function resolutionOf(
  definition: ModelDefinition,
  parsed: ParsedModel | undefined,
  known: Parameters<typeof resolveModel>[2],
): ModelResolution {
  if (parsed !== undefined) return resolveModel(definition, parsed, known);
  const columns = definition.declaredColumns ?? [];
  return {
    schemaKey: known.schemaKey,
    columns: columns.map(({ name, type }) => {
      const description = definition.columnDescriptions[name.toLowerCase()];
      return description === undefined ? { name, type } : { name, type, description };
    }),
    hasAllColumns: definition.declaredColumns !== undefined,
    lineage: [],
    reads: {},
    diagnostics: [],
  };
}

function modelOf(
  definition: ModelDefinition,
  analysis: ModelAnalysis,
  dependencies: readonly string[],
): Model {
  const { resolution, queryHash, inputs } = analysis;
  return {
    ...definition,
    dependencies,
    columns: resolution?.columns ?? definition.declaredColumns ?? [],
    hasAllColumns: resolution?.hasAllColumns ?? definition.declaredColumns !== undefined,
    lineage: resolution?.lineage ?? [],
    reads: resolution?.reads ?? {},
    ...(queryHash === undefined ? {} : { queryHash }),
    usedMacros: inputs,
  };
}

function columnsDigest({ columns, hasAllColumns }: Model): string {
  return hash128(String(hasAllColumns), ...columns.flatMap(({ name, type }) => [name, type]));
}

function describeCycle(
  cycle: readonly string[],
  byName: ReadonlyMap<string, { readonly index: number; readonly definition: ModelDefinition }>,
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

/** One warning per table that no file defines, at the first place that reads it: real projects have many of them. */
function undeclaredExternals(
  byName: ReadonlyMap<string, { readonly index: number; readonly definition: ModelDefinition }>,
  analyses: readonly ModelAnalysis[],
): readonly Diagnostic[] {
  const users = new Map<string, { count: number; at: NonNullable<Diagnostic['at']> }>();
  for (const { index, definition } of byName.values())
    for (const { name, start, end } of analyses[index]?.tables ?? []) {
      if (byName.has(name)) continue;
      const seen = users.get(name);
      if (seen === undefined) users.set(name, { count: 1, at: { file: definition.file, start, end } });
      else seen.count++;
    }
  return [...users].map(([table, { count, at }]) =>
    diagnostic('model.undeclared-external', { table, count }, { at }),
  );
}
