/*
 * Rollups as models: FULL, beside the models of the files, with the schedule of the model they are made of. So snapshots,
 * intervals, environments, promotion, audits and the janitor know them already.
 */

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { SOURCE_COLUMN } from '../../../domain/environment.ts';
import type { Model, ModelDefinition } from '../../../domain/model.ts';
import { NOTHING_DECLARED } from '../../../domain/nothing-declared.ts';
import type { Project } from '../../../domain/project.ts';
import type { Rollup, SemanticModel } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';
import { analyzeModel } from '../../resolve/analyze-model.ts';
import type { CompileContext } from '../../resolve/compile-context.ts';
import { resolveModel } from '../../resolve/resolve-model.ts';
import { semanticIndex } from '../semantic-index.ts';
import { type RollupProblem, type RollupShape, rollupShapes } from './rollup-shape.ts';
import { isRestless, rollupSources } from './rollup-sources.ts';

/** In which the queries of rollups are printed. */
const ROLLUP_DIALECT = 'duckdb';

/** The models that a project's rollups are, in any order, and warnings about those that cannot be built. */
export async function rollupModels(
  project: Project,
  compileContext: CompileContext,
): Promise<{ readonly models: readonly Model[]; readonly diagnostics: readonly Diagnostic[] }> {
  const models: Model[] = [];
  const diagnostics: Diagnostic[] = [];
  if (project.semanticModels.every(({ rollups }) => rollups.length === 0)) return { models, diagnostics };
  const known = new Map(project.models.map((model) => [model.name, model]));
  const shapes = rollupShapes(semanticIndex(project));
  for (const semantic of project.semanticModels)
    for (const rollup of semantic.rollups) {
      const name = `${semantic.name.value}.${rollup.name.value}`;
      const shape = shapes.get(name.toLowerCase());
      if (shape === undefined) continue;
      const made = await modelOf(shape, known, compileContext);
      if ('reason' in made) {
        const { start, end } = rollup.name;
        const at = { file: semantic.file, start, end };
        diagnostics.push(diagnostic('semantic.unused-rollup', { name, reason: made.reason }, { at }));
        continue;
      }
      models.push({ ...made, file: semantic.file });
      diagnostics.push(...leftOutMeasures(shape, semantic, rollup));
    }
  return { models, diagnostics };
}

/** Those who ask for them are answered without the rollup, which its author should know. */
function leftOutMeasures(
  shape: RollupShape | RollupProblem,
  { file }: SemanticModel,
  { measures }: Rollup,
): readonly Diagnostic[] {
  if ('reason' in shape) return [];
  return shape.leftOut.flatMap(({ measure, reason }) => {
    const written = measures.find(({ value }) => value === measure);
    const at = written && rangeOf(file, written);
    return [diagnostic('semantic.measure-not-kept', { name: shape.name, measure, reason }, { at })];
  });
}

async function modelOf(
  shape: RollupShape | RollupProblem,
  known: ReadonlyMap<string, Model>,
  compileContext: CompileContext,
): Promise<Model | { readonly reason: string }> {
  if ('reason' in shape) return shape;
  const base = known.get(shape.fact.model);
  const sources = await rollupSources(shape.reads, async (name) => known.get(name));
  if (sources.kind === 'unknown') return sources;
  if (base === undefined) return { reason: `${shape.fact.model} is not there` };
  if (isRestless(shape.sql, ROLLUP_DIALECT))
    return { reason: 'its members read more than tables, or the present time' };
  if (known.has(shape.model)) return { reason: `a model is called ${shape.model}` };
  const definition = definitionOf(shape, base);
  const columnsOf = (table: string): Model['columns'] | undefined => known.get(table)?.columns;
  const { analysis, parsed } = await analyzeModel(definition, compileContext, columnsOf);
  if (parsed === undefined) return { reason: analysis.diagnostics[0]?.message ?? 'its query cannot be read' };
  const { columns, hasAllColumns, lineage, reads } = resolveModel(definition, parsed, {
    schemaKey: '',
    columnsOf(table) {
      const model = known.get(table);
      return model && { columns: model.columns, isComplete: model.hasAllColumns };
    },
    tableName: (parts) =>
      compileContext.tableName(
        parts.map((name) => ({ name, quoted: true })),
        definition.dialect,
      ),
  });
  return {
    ...definition,
    dependencies: [...new Set(analysis.tables.map(({ name }) => name))].sort(),
    columns,
    hasAllColumns,
    lineage,
    reads,
    ...(analysis.queryHash === undefined ? {} : { queryHash: analysis.queryHash }),
    ...(analysis.commonTables === undefined ? {} : { commonTables: analysis.commonTables }),
    usedMacros: analysis.inputs,
  };
}

function definitionOf({ name, model, sql, keys, description }: RollupShape, base: Model): ModelDefinition {
  const { cron, cronTz, start, end, owner, tags, gateway, allowPartials } = base;
  return {
    name: model,
    file: base.file,
    kind: { kind: 'full' },
    source: {
      kind: 'sql',
      query: { text: sql, start: 0, isJinja: false },
      preStatements: [],
      postStatements: [],
      onVirtualUpdate: [],
      comments: [],
    },
    dialect: ROLLUP_DIALECT,
    cron,
    ...(cronTz === undefined ? {} : { cronTz }),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    grains: keys.length === 0 ? [] : [keys.map(({ column }) => column)],
    references: [],
    ...(owner === undefined ? {} : { owner }),
    description: description ?? `Rollup ${name}, kept ready for questions.`,
    tags,
    terms: [],
    columnDescriptions: { [SOURCE_COLUMN]: 'What the rows were made from.' },
    audits: [],
    ...NOTHING_DECLARED,
    isEnabled: true,
    allowPartials,
    ...(gateway === undefined ? {} : { gateway }),
    ignoredRules: 'ALL',
    signals: [],
    profiles: [],
    optimizeQuery: false,
    blueprint: {},
    rollup: name,
    ranges: {},
  };
}
