/** One random project before and after random edits: what the impact says of them, and what DuckDB answers. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { changeImpact, knownChange, supposedChange } from '../../src/compiler/impact/change-impact.ts';
import { describedChange } from '../../src/compiler/plan/semantic-changes.ts';
import { metricQuestion } from '../../src/compiler/semantic/metric-question.ts';
import { type Asked, type AskedSide, readsOn } from '../../src/compiler/semantic/perspectives/asked-side.ts';
import type { ImpactReport } from '../../src/domain/impact.ts';
import type { Perspective } from '../../src/domain/perspective.ts';
import type { Change } from '../../src/domain/plan.ts';
import type { Project } from '../../src/domain/project.ts';
import { type Caller, OWNER } from '../../src/domain/semantic-query.ts';
import { compileText } from '../support/plan/compile-text.ts';
import { NOW, PlanWorld } from '../support/plan/plan-world.ts';
import { seededNumbers } from '../support/seeded-bits.ts';
import { filesOf, type Graph, queryOf } from './graph.ts';
import { randomEdit } from './random-edit.ts';
import { chanceOf, randomGraph } from './random-graph.ts';

/** Of metrics and perspectives: what was listed, what of it changed, and what was proven untouched. */
export interface Tally {
  listed: number;
  changed: number;
  untouched: number;
}

export interface Life {
  readonly edits: readonly string[];
  readonly problems: readonly string[];
  readonly tally: Tally;
}

type Report = Pick<ImpactReport, 'models' | 'semantics' | 'perspectives' | 'untouched'>;

/** Undefined: an edit made a project that does not load. */
export async function life(connection: DuckDBConnection, seed: number): Promise<Life | undefined> {
  const chance = chanceOf(seededNumbers(seed));
  const before = randomGraph(chance);
  const after = structuredClone(before);
  const edits = [randomEdit(after, chance), ...(chance.is(0.3) ? [randomEdit(after, chance)] : [])];
  const world = new PlanWorld();
  const was = await compileText(filesOf(before), { mayHaveErrors: true });
  const becomes = await compileText(filesOf(after), { mayHaveErrors: true });
  if ([was, becomes].some(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error')))
    return undefined;
  world.apply((await world.plan(was)).plan);
  const { plan } = await world.plan(becomes);
  const changes = plan.changes.map((change) => describedChange(change, was.project, becomes.project));
  const perspectives = before.perspectives.map(
    ({ name, query }) => ({ id: name, slug: name, name, query, params: [] }) as unknown as Perspective,
  );
  const sides = { before: sideOf(was.project), after: sideOf(becomes.project) };
  const report = changeImpact(becomes.project, knownChange(becomes.project, changes, sides), perspectives);
  const supposed = supposedReport(becomes.project, { changes, side: sides.after, perspectives });
  const left = columnsLeft(was.project, report);
  const one = await answers(connection, `b${seed}`, { graph: before, project: was.project, left });
  const other = await answers(connection, `a${seed}`, { graph: after, project: becomes.project, left });
  const found = compared(report, changes, { one, other });
  const more = supposed === undefined ? [] : compared(supposed, changes, { one, other }).problems;
  return {
    edits,
    tally: found.tally,
    problems: [...found.problems, ...more.map((text) => `supposed: ${text}`)],
  };
}

/** Where values of columns of one model are all that changes: what lineage alone says of it, without the proofs of a plan. */
function supposedReport(
  project: Project,
  {
    changes,
    side,
    perspectives,
  }: {
    readonly changes: readonly Change[];
    readonly side: AskedSide;
    readonly perspectives: readonly Perspective[];
  },
): Report | undefined {
  const [own, ...more] = changes.filter(({ change }) => change !== 'indirect' && change !== 'metadata');
  const isOfValues = own?.proof?.kind === 'columns' && own.columns.removed.length === 0;
  if (own === undefined || more.length > 0 || !isOfValues) return undefined;
  const focus = { columns: { model: own.name, names: own.proof?.columns ?? [] } };
  return changeImpact(project, supposedChange(project, { focus, change: 'values' }, side), perspectives);
}

const sideOf = ({ semanticModels, metrics, models }: Project): AskedSide => ({
  semantics: { semanticModels, metrics, models },
  columns: new Map(models.map(({ name, columns }) => [name, columns.map((each) => each.name)])),
  naming: { environment: 'prod', suffixTarget: 'schema' },
  dialect: 'duckdb',
  now: NOW,
});

/** By what was asked: `metric:NAME`, `perspective:NAME`, `member:NAME`, `columns:MODEL`. */
type Answers = ReadonlyMap<string, string>;

async function answers(
  connection: DuckDBConnection,
  catalog: string,
  {
    graph,
    project,
    left,
  }: {
    readonly graph: Graph;
    readonly project: Project;
    readonly left: ReadonlyMap<string, readonly string[]>;
  },
): Promise<Answers> {
  await connection.run(`ATTACH ':memory:' AS ${catalog}`);
  await connection.run(`USE ${catalog}`);
  await connection.run('CREATE SCHEMA m');
  for (const model of graph.models) await connection.run(`CREATE TABLE ${model.name} AS ${queryOf(model)}`);
  const side = sideOf(project);
  const found = new Map<string, string>();
  const ask = async (key: string, sql: string): Promise<void> => {
    const rows = await rowsOf(connection, sql);
    found.set(key, `${found.get(key) ?? ''}\n${rows}`);
  };
  const isGuarded = graph.semantics.some(({ policy }) => policy !== undefined);
  for (const [key, asked] of questions(graph, side))
    for (const caller of isGuarded ? CALLERS : [OWNER])
      await ask(key, readsOn(side, asked, caller)?.sql ?? 'refused');
  for (const [model, names] of left) {
    const has = project.models.find(({ name }) => name === model)?.columns.map(({ name }) => name) ?? [];
    const kept = names.filter((name) => has.includes(name));
    await ask(`columns:${model}`, `SELECT ${kept.length === 0 ? '1' : kept.join(', ')} FROM ${model}`);
  }
  await connection.run('USE memory');
  await connection.run(`DETACH ${catalog}`);
  return found;
}

const CALLERS: readonly Caller[] = [OWNER, { groups: ['some'], isUnrestricted: false }];

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<string> {
  if (sql === 'refused') return sql;
  try {
    const rows = (await connection.runAndReadAll(sql)).getRowsJson();
    return JSON.stringify(rows.map((row) => JSON.stringify(row)).sort());
  } catch (error) {
    return `failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Metrics in other ways than the impact compiles them: alone, and by each dimension. */
function* questions(graph: Graph, { semantics }: AskedSide): Generator<readonly [string, Asked]> {
  const semantic = (query: unknown): Asked => ({ query: { kind: 'semantic', query }, params: [] });
  for (const { name, query } of graph.perspectives) yield [`perspective:${name}`, { query, params: [] }];
  for (const { name, dimensions } of semantics.metrics) {
    const names = dimensions.map((each) => each.name);
    for (const own of [[], names]) {
      const made = metricQuestion(semantics, name.value, { dimensions: own });
      if (made.ok) yield [`metric:${name.value}`, semantic(made.query)];
    }
  }
  for (const { name, dimensions, measures, segments } of graph.semantics) {
    for (const each of dimensions)
      yield [`member:${name}.${each.name}`, semantic({ dimensions: [`${name}.${each.name}`] })];
    for (const each of measures)
      yield [`member:${name}.${each.name}`, semantic({ measures: [`${name}.${each.name}`] })];
    for (const each of segments)
      yield [
        `member:${name}.${each.name}`,
        semantic({ measures: [`${name}.count`], segments: [`${name}.${each.name}`] }),
      ];
  }
}

function compared(
  { semantics, perspectives, untouched }: Report,
  changes: readonly Change[],
  { one, other }: { readonly one: Answers; readonly other: Answers },
): Omit<Life, 'edits'> {
  const differs = (key: string): boolean => one.has(key) && other.has(key) && one.get(key) !== other.get(key);
  const own = changes.flatMap(({ kind, name }) => (kind === 'metric' ? [`metric:${name}`] : []));
  const listed = new Set([
    ...semantics.flatMap(({ kind, name }) => (kind === 'metric' ? [`metric:${name}`] : [])),
    ...perspectives.map(({ perspective: { slug } }) => `perspective:${slug}`),
  ]);
  const left = new Set([
    ...untouched.metrics.map((name) => `metric:${name}`),
    ...untouched.perspectives.map(({ slug }) => `perspective:${slug}`),
  ]);
  const asked = [...one.keys()].filter((key) => /^(?:metric|perspective):/.test(key));
  const missing = asked.filter((key) => differs(key) && !listed.has(key) && !own.includes(key));
  const wrong = [
    ...left,
    ...untouched.members.map((name) => `member:${name}`),
    ...[...one.keys()].filter((key) => key.startsWith('columns:')),
  ].filter(differs);
  return {
    problems: [
      ...missing.map((key) => `${key} answers otherwise and is not listed`),
      ...wrong.map((key) => `${key} answers otherwise and is said to be untouched`),
    ],
    tally: { listed: listed.size, changed: [...listed].filter(differs).length, untouched: left.size },
  };
}

/** By model, the columns that are not listed, unless all of its rows are. */
function columnsLeft({ models }: Project, report: Report): ReadonlyMap<string, readonly string[]> {
  const reached = new Map(report.models.map((each) => [each.name, each]));
  return new Map(
    models.flatMap(({ name, columns }) => {
      const found = reached.get(name);
      if (found?.rows !== undefined) return [];
      const listed = new Set(found?.columns.map((column) => column.name));
      return [[name, columns.map((column) => column.name).filter((each) => !listed.has(each))] as const];
    }),
  );
}
