/** What users see of a project: each takes files and answers with text. What differs from run to run is taken out. */
import { lintProject } from '../../src/compiler/lint/lint-project.ts';
import { explainStage } from '../../src/compiler/plan/explain-stage.ts';
import { makeRun } from '../../src/compiler/plan/make-run.ts';
import { renderQuery } from '../../src/compiler/render/render-query.ts';
import type { CompiledProject } from '../../src/compiler/resolve/compile-project.ts';
import { compileQuery } from '../../src/compiler/semantic/compile-query.ts';
import { rollupModels } from '../../src/compiler/semantic/rollups/rollup-models.ts';
import { semanticIndex } from '../../src/compiler/semantic/semantic-index.ts';
import { metricInfos } from '../../src/domain/metric-info.ts';
import { modelInfo } from '../../src/domain/model-info.ts';
import { projectInfo } from '../../src/domain/project-info.ts';
import { DAY_MS } from '../../src/foundation/time/civil.ts';
import { formatFiles } from '../../src/operations/project/format-files.ts';
import type { LoadedWorkspace } from '../../src/operations/project/load-project.ts';
import { compileText } from '../support/plan/compile-text.ts';
import { NOW, PlanWorld } from '../support/plan/plan-world.ts';

type Files = Readonly<Record<string, string>>;
const compiled = (files: Files): Promise<CompiledProject> => compileText(files, { mayHaveErrors: true });
const text = (value: unknown): string => JSON.stringify(value, null, 1);

export type Observable = keyof typeof OBSERVABLES;

export const OBSERVABLES = {
  /** Everything that loading and linting say. */
  diagnostics: async (files: Files): Promise<string> => {
    const loaded = await compiled(files);
    const linted = await lintProject(
      {
        project: loaded.project,
        found: loaded.diagnostics,
        hits: ({ name }) => loaded.analyses.get(name)?.hits,
        tables: ({ name }) => loaded.analyses.get(name)?.tables ?? [],
      },
      [],
    );
    return [...loaded.diagnostics, ...linted.diagnostics]
      .map(({ code, severity, message }) => `${severity} ${code} ${message}`)
      .join('\n');
  },

  /** `plinth info --json` and `plinth metrics --json`. */
  info: async (files: Files): Promise<string> => {
    const loaded = await compiled(files);
    const { work: _, ...project } = projectInfo(loaded as unknown as LoadedWorkspace);
    return text([project, loaded.project.models.map(modelInfo), metricInfos(loaded.project)]);
  },

  /** What a first plan would do, and when. */
  plan: async (files: Files): Promise<string> => {
    const world = new PlanWorld();
    return planText(await world.plan(await world.compile(files)));
  },

  /** What a first plan of an environment of its own would do. */
  dev: async (files: Files): Promise<string> => {
    const world = new PlanWorld();
    return planText(await world.plan(await world.compile(files), { environment: 'dev' }));
  },

  /** What a plan does with a column more in a model, a row more in a seed and a column more of an external table. */
  replanned: async (files: Files): Promise<string> =>
    edited(files, {
      'models/subject.sql': (before) => before.replace('AS amount', 'AS amount, 7 AS added'),
      'seeds/orders.csv': (before) => `${before}3,2024-01-04,EU,7,1\n`,
      'external_models.yaml': (before) => before.replace('"day": "date"', '"day": "date", "more": "int"'),
    }),

  /** What a plan does with a column less in a model. */
  shrunk: async (files: Files): Promise<string> =>
    edited(
      { ...files, 'models/reader.sql': 'MODEL (name m.reader);\nSELECT id FROM m.subject\n' },
      { 'models/subject.sql': (before) => before.replace(', 5 AS amount', '') },
    ),

  /** What a run has to do a week after the first plan. */
  later: async (files: Files): Promise<string> => {
    const world = new PlanWorld();
    await world.planAndApply(files);
    const [environment] = world.environments;
    if (environment === undefined) throw new Error('nothing was promoted');
    const { missing, stages } = makeRun({
      environment,
      environments: world.environments,
      snapshots: world.snapshots,
      intervals: world.intervals,
      restatements: [],
      executionTime: NOW + 7 * DAY_MS,
      lastRunAt: NOW,
      beforeAll: [],
      afterAll: [],
      naming: (name) => ({ environment: name, suffixTarget: 'schema' }),
      concurrency: 4,
    });
    return text([missing, stages]).replaceAll(/[a-z2-7]{26}/g, '…');
  },

  /** What a plan does that is to fill the model again. */
  restated: async (files: Files): Promise<string> => {
    const world = new PlanWorld();
    await world.planAndApply(files);
    return planText(
      await world.plan(await world.compile(files), { options: { restateModels: ['m.subject'] } }),
    );
  },

  /** The SQL of every model for one interval, with the statements around it. */
  sql: async (files: Files): Promise<string> => {
    const loaded = await compiled(files);
    const times = { start: Date.UTC(2024, 0, 1), end: Date.UTC(2024, 0, 2), execution: Date.UTC(2024, 0, 3) };
    const columns = new Map(loaded.project.models.map(({ name, columns: own }) => [name, own]));
    const texts = await Promise.all(
      loaded.project.models.map(async (model) => [
        model.name,
        await renderQuery(model, loaded.compileContext, {
          times,
          columnsOf: (table) => columns.get(table),
          standIn: () => undefined,
        }),
        model.source.kind === 'sql'
          ? [
              ...model.source.preStatements,
              ...model.source.postStatements,
              ...model.source.onVirtualUpdate,
            ].map((statement) => statement.text)
          : [],
      ]),
    );
    return text(texts);
  },

  /** `plinth format`. */
  format: async (files: Files): Promise<string> => {
    const loaded = await compiled(files);
    const sources = new Map(Object.entries(files));
    const { changed } = formatFiles({ ...loaded, sources } as unknown as LoadedWorkspace, () => true);
    return text(changed.map(({ path, after }) => [path, after]));
  },

  /** The SQL of questions about all members, asked by an owner and by somebody of a group. */
  questions: async (files: Files): Promise<string> => {
    const loaded = await compiled(files);
    const index = semanticIndex(loaded.project);
    const rollups = await rollupModels(loaded.project, loaded.compileContext);
    const answers = QUESTIONS.flatMap((question) =>
      CALLERS.map((caller) => {
        const result = compileQuery(index, question, {
          dialect: 'duckdb',
          caller,
          now: Date.UTC(2024, 5, 15),
          relationOf: (model) => ({ schema: 'v', name: model }),
        });
        return result.ok
          ? [result.compiled.sql, result.compiled.columns]
          : result.diagnostics.map(({ code, message }) => `${code} ${message}`);
      }),
    );
    return text([
      answers,
      rollups.models.map(({ name, queryHash, description }) => [name, description, queryHash]),
      rollups.diagnostics,
    ]);
  },
} satisfies Readonly<Record<string, (files: Files) => Promise<string>>>;

async function edited(
  files: Files,
  edits: Readonly<Record<string, (before: string) => string>>,
): Promise<string> {
  const world = new PlanWorld();
  await world.planAndApply(files);
  const after = Object.fromEntries(
    Object.entries(files).map(([path, before]) => [path, edits[path]?.(before) ?? before]),
  );
  return planText(await world.plan(await world.compile(after)));
}

const CALLERS = [
  { groups: [], isUnrestricted: true },
  { groups: ['analysts'], isUnrestricted: false },
];

const QUESTIONS = [
  { measures: ['orders.revenue'], dimensions: ['orders.region', 'orders.day.month'] },
  { measures: ['orders.revenue'], dimensions: ['orders.day.bucket'] },
  { measures: ['orders.revenue', 'orders.count'], dimensions: [], segments: ['orders.large'] },
  { measures: ['orders.revenue'], dimensions: ['customers.city'] },
  { measures: ['orders.revenue'], dimensions: ['buyers.city'] },
  { measures: ['sales'], dimensions: ['sales.ts'] },
  { measures: ['sales'], dimensions: ['sales.region'] },
  { measures: ['sales'], dimensions: ['sales.place'] },
  { measures: ['sales'], dimensions: ['sales.ts.month'] },
];

/** The plan in words, without names that are hashes. */
export function planText({ plan, diagnostics }: Awaited<ReturnType<PlanWorld['plan']>>): string {
  return text([
    plan.changes,
    plan.missing.map(({ model, ranges }) => [model, ranges.map((range) => Object.values(range))]),
    plan.stages.map((stage) => explainStage(stage)),
    plan.stages.map(({ id: _, ...stage }) => ('target' in stage ? 'promotion' : stage)),
    plan.target.entries.map(({ model, columns }) => [model, columns]),
    plan.target.expiresAt ?? 'never',
    diagnostics.map(({ code, message }) => `${code} ${message}`),
  ]).replaceAll(/[a-z2-7]{26}/g, '…');
}
