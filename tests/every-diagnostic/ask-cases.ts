import type { CommandContext } from '../../src/cli/command.ts';
import { run as metricsCommand } from '../../src/cli/commands/metrics.ts';
import { run as testCommand } from '../../src/cli/commands/test.ts';
import { createTerminal } from '../../src/cli/terminal.ts';
import { metricQuestion } from '../../src/compiler/semantic/metric-question.ts';
import { readSemanticQuery } from '../../src/compiler/semantic/read-query.ts';
import type { Plan } from '../../src/domain/plan.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { NO_OPTIONS } from '../../src/operations/change/diff.ts';
import { plan } from '../../src/operations/change/plan.ts';
import { openWorld } from '../../src/operations/open-world.ts';
import { type LoadedWorkspace, loadProject } from '../../src/operations/project/load-project.ts';
import { runTests } from '../../src/operations/project/run-tests.ts';
import { claimDiagnostic, validateData } from '../../src/operations/project/validate-data.ts';
import { openWorkspace, type Workspace } from '../../src/operations/workspace.ts';
import { temporaryProject } from '../support/temporary-project.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

const FILES: Readonly<Record<string, string>> = {
  'config.yaml':
    'name: questions\ngateways:\n  local:\n    connection: {type: duckdb, database: questions.duckdb}\n',
  'models/orders.sql':
    "MODEL (name marts.orders, kind FULL);\nSELECT id::INTEGER AS id, customer_id::INTEGER AS customer_id, day::DATE AS day\nFROM (VALUES (1, 10, '2025-01-01'), (1, 11, NULL), (NULL, 10, '2025-01-02')) AS t(id, customer_id, day)\n",
  'models/customers.sql':
    'MODEL (name marts.customers, kind FULL);\nSELECT id::INTEGER AS id FROM (VALUES (10), (10), (11)) AS t(id)\n',
  'models/semantics/orders.yml':
    'kind: semantic\nname: orders\ndepends_on: marts.orders\nprimary_key: [id]\nmeasures: [{name: n, type: count}]\nrollups: [{name: daily, measures: [n], time_dimension: day, granularity: day}]\njoins: [{name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}]\n',
  'models/semantics/customers.yml':
    'kind: semantic\nname: customers\ndepends_on: marts.customers\nprimary_key: [id]\n',
  'tests/test_orders.yaml': `test_too_many:
  semantic_query: {measures: [orders.n]}
  inputs: {marts.orders: [{id: 1}]}
  rows: [{orders.n: 2}]
test_without_rows:
  semantic_query: {measures: [orders.n]}
  inputs: {marts.customers: [{id: 1}]}
  rows: [{orders.n: 2}]
`,
};

async function within<Result>(
  work: (workspace: Workspace, loaded: LoadedWorkspace) => Promise<Result>,
  more: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const project = temporaryProject({ ...FILES, ...more });
  const workspace = openWorkspace({
    folder: project.folder,
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
  });
  try {
    return await work(workspace, await loadProject(workspace));
  } finally {
    await workspace.close();
    project.delete();
  }
}

/** What plinth validate --data finds in a project whose rows are wrong in every way. */
let found: Promise<readonly string[]> | undefined;
const problemsOfRows = (): Promise<readonly string[]> => {
  found ??= within(async (workspace, loaded) => {
    const opening = openWorld(workspace);
    const request = { world: opening, environment: 'prod', options: NO_OPTIONS, skipTests: true };
    const planned = await plan(workspace, loaded, request);
    const world = await opening;
    for await (const event of apply(world, planned.plan as Plan, { who: 'test' })) void event;
    const checked = await validateData(world, loaded.project, { environment: 'prod' });
    return checked.flatMap((claim) => claimDiagnostic(claim)?.code ?? []);
  });
  return found;
};

const asked = (code: string, query: unknown): DiagnosticCase =>
  acting(code, async () => {
    const read = readSemanticQuery(query);
    return read.ok ? undefined : read.diagnostics[0]?.code;
  });

const validated = (code: string): DiagnosticCase =>
  acting(code, async () => (await problemsOfRows()).find((each) => each === code));

const tested = (code: string, name: string, more: Readonly<Record<string, string>> = {}): DiagnosticCase =>
  acting(code, () =>
    within(async (workspace, loaded) => {
      const tests = loaded.project.tests.filter((test) => test.name === name);
      for await (const result of runTests(workspace, loaded, tests))
        if (result.kind === 'broken') return result.diagnostics[0]?.code;
      return undefined;
    }, more),
  );

/** A command without a process of its own. */
const commanded = (
  code: string,
  run: (context: CommandContext) => ReturnType<typeof testCommand>,
  words: readonly string[],
): DiagnosticCase =>
  acting(code, () =>
    within(async (workspace) => {
      const answer = await run(contextOf(workspace, words));
      return [...(answer.error === undefined ? [] : [answer.error]), ...(answer.diagnostics ?? [])].find(
        (each) => each.code === code,
      )?.code;
    }),
  );

function contextOf(workspace: Workspace, words: readonly string[]): CommandContext {
  const silent = { write: () => true };
  return {
    arguments: words,
    switches: new Set(),
    values: new Map(),
    lists: new Map(),
    command: {
      name: '',
      summary: '',
      arguments: [],
      options: [],
      examples: [],
      load: () => Promise.reject(),
    },
    commands: [],
    terminal: createTerminal({
      stdout: silent,
      stderr: silent,
      isInputTerminal: false,
      variables: {},
      color: 'never',
      isJson: false,
      isQuiet: true,
      isVerbose: false,
      platform: 'linux',
    }),
    folder: workspace.folder,
    executionTime: workspace.executionTime,
    workspace: async () => workspace,
    reportWork: () => undefined,
    interruption: () => {
      throw new Error('nothing is interrupted');
    },
    doors: { startServer: () => Promise.reject(new Error('no server here')) },
  };
}

/** What is wrong with questions, with the rows they are asked about, and with semantic tests. */
export const askCases: readonly DiagnosticCase[] = [
  asked('query.bad-shape', { measures: 'orders.n' }),
  asked('query.unknown-key', { measures: ['orders.n'], mesures: [] }),
  asked('query.too-large', { measures: Array.from({ length: 501 }, (_, i) => `orders.m${i}`) }),
  acting('metric.unknown', async () => {
    const asked = metricQuestion({ metrics: [] }, 'revenue', {});
    return asked.ok ? undefined : asked.diagnostics[0]?.code;
  }),
  validated('validate.key-null'),
  validated('validate.key-not-unique'),
  validated('validate.not-to-one'),
  validated('validate.time-null'),
  tested('test.no-input', 'test_without_rows'),
  tested('test.unknown-type', 'test_without_types', {
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT a FROM raw.t\n',
    'tests/test_types.yaml':
      'test_without_types: {model: m.a, inputs: {raw.t: [{a: null}]}, outputs: {query: [{a: null}]}}\n',
  }),
  tested('test.no-columns', 'test_without_columns', {
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT * FROM raw.t\n',
    'tests/test_a.yaml': 'test_without_columns: {model: m.a, inputs: {raw.t: []}, outputs: {query: []}}\n',
  }),
  tested('test.unread-query', 'test_unread', {
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT 1 AS a FROM nothing AT LOCAL\n',
    'tests/test_a.yaml': 'test_unread: {model: m.a, outputs: {ctes: {c: [{a: 1}]}}}\n',
  }),
  tested('test.bad-value', 'test_bad_value', {
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT 1::INT AS a\n',
    'models/b.sql': 'MODEL (name m.b, kind FULL);\nSELECT a FROM m.a\n',
    'tests/test_a.yaml': 'test_bad_value: {model: m.b, inputs: {m.a: [{a: x}]}, outputs: {query: []}}\n',
  }),
  tested('test.no-file', 'test_no_file', {
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT a FROM raw.t\n',
    'tests/test_a.yaml':
      'test_no_file: {model: m.a, inputs: {raw.t: {path: none.csv}}, outputs: {query: []}}\n',
  }),
  tested('test.escapes-project', 'test_escapes', {
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT a FROM raw.t\n',
    'tests/test_a.yaml': 'test_escapes: {model: m.a, inputs: {raw.t: {path: /}}, outputs: {query: []}}\n',
  }),
  tested('test.not-refused', 'test_refused', {
    'tests/test_refused.yaml':
      'test_refused: {semantic_query: {measures: [orders.n]}, inputs: {marts.orders: []}, error: query.bad-shape}\n',
  }),
  commanded('test.failed', testCommand, ['test_too_many']),
  commanded('cli.unknown-test', testCommand, ['test_of_nobody']),
  commanded('cli.unknown-metric', metricsCommand, ['revenu']),
];
