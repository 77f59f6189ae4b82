import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from 'vitest';
import { compress, decompress } from '../../src/adapters/state/sql/stored-text.ts';
import type { Environment } from '../../src/domain/environment.ts';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { draftProduct, servedProduct } from '../support/served-product.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

const CONFIG = `gateways:
  local:
    connection: {type: duckdb, database: w.duckdb}
model_defaults: {dialect: duckdb, start: '2025-01-01'}
`;
const FILES: Readonly<Record<string, string>> = {
  'config.yaml': CONFIG,
  'models/a.sql': 'MODEL (name m.a, kind FULL, signals (ready()));\nSELECT 1 AS id, 2 AS x\n',
  'models/e.sql': 'MODEL (name m.e, kind EMBEDDED);\nSELECT id FROM m.a\n',
  'signals/ready.ts': 'export function ready(): number {\n  return 42;\n}\n',
  'other.json': '{"schema":"something/1"}',
};

const SEMANTIC = (policies: string): string =>
  `kind: semantic\nname: a\ndepends_on: m.a\ndimensions: [id]\npolicies: ${policies}\n`;

/** The first code a command ends with; with one that is looked for among several, that one. */
async function codeOfCommand(
  project: PlannedProject,
  wanted: string,
  args: readonly string[],
): Promise<string | undefined> {
  const { error, diagnostics } = await project.json(...args);
  const codes = [error, ...diagnostics].flatMap((each) => (each === undefined ? [] : [String(each['code'])]));
  return codes.includes(wanted) ? wanted : codes.join(', ');
}

/** A command in a project of its own, to which no plan was applied. */
const planned = (
  code: string,
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): DiagnosticCase =>
  acting(code, async () => {
    const project = plannedProject({ ...FILES, ...files });
    try {
      return await codeOfCommand(project, code, args);
    } finally {
      project.remove();
    }
  });

/** Environments as they were before plans stored dq packs. */
function appliedByAnOlder(file: string): void {
  const state = new DatabaseSync(file);
  for (const { id, body } of state.prepare('SELECT id, body FROM promotions').all()) {
    const { dqPacks: _, ...environment } = JSON.parse(decompress(body as Uint8Array)) as Environment;
    const bytes = compress(JSON.stringify(environment));
    state.prepare('UPDATE promotions SET body = ? WHERE id = ?').run(bytes, id as string);
  }
  state.close();
}

let shared: Promise<PlannedProject> | undefined;
afterAll(async () => (await shared)?.remove());

async function applyBoth(): Promise<PlannedProject> {
  const project = plannedProject(FILES);
  for (const environment of ['prod', 'dev']) {
    const { code, stderr } = await project.plinth('plan', environment, '--yes');
    if (code !== 0) throw new Error(stderr);
  }
  return project;
}

/** A command in a project that was applied to prod and dev; none of them changes it. */
const applied = (code: string, ...args: readonly string[]): DiagnosticCase =>
  acting(code, async () => {
    shared ??= applyBoth();
    return codeOfCommand(await shared, code, args);
  });

/** What commands say about environments, plans, runs and queries. */
export const appliedCases: readonly DiagnosticCase[] = [
  planned('environment.bad-name', ['plan', '1st']),
  planned('environment.unknown', ['run', 'nowhere']),
  planned('plan.engine-refuses', ['plan'], {
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT nope() AS id, 2 AS x\n',
  }),
  planned('plan.external-missing', ['plan'], {
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT id FROM raw.t\n',
    'external_models.yaml': '- {name: raw.t, columns: {id: int}}\n',
  }),
  planned('test.not-run', ['test'], {
    'models/b.py': '@model("m.b", columns={"a": "int"})\ndef execute(context): ...\n',
    'tests/test_b.yaml': 'test_b:\n  model: m.b\n  outputs: {query: [{a: 1}]}\n',
  }),
  planned('test.file-exists', ['create-test', 'm.a', '--path', 'test_a'], {
    'tests/test_a.yaml': 'test_a:\n  model: m.a\n  outputs: {query: [{id: 99}]}\n',
  }),
  planned('test.no-match', ['test', '-k', 'nothing'], {
    'tests/test_a.yaml': 'test_a:\n  model: m.a\n  outputs: {query: [{id: 99}]}\n',
  }),
  planned('plan.tests-fail', ['plan'], {
    'tests/test_a.yaml': 'test_a:\n  model: m.a\n  outputs: {query: [{id: 99}]}\n',
  }),
  applied('dq.unknown-pack', 'check', '--pack', 'nothing'),
  acting('dq.not-applied', async () => {
    const project = plannedProject({
      ...FILES,
      'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT 1 AS id\n',
      'dq/a.yml': 'kind: dq\nname: a\ndepends_on: m.a\nrules: [row_count > 0]\n',
    });
    try {
      await project.plinth('plan', '--yes');
      appliedByAnOlder(join(project.folder, '.plinth/state.db'));
      return await codeOfCommand(project, 'dq.not-applied', ['check']);
    } finally {
      project.remove();
    }
  }),
  acting('plan.type-unknown', async () => {
    const project = plannedProject(FILES);
    const model = (columns: string) =>
      `MODEL (name m.a, kind FULL);\nCREATE TEMP TABLE IF NOT EXISTS h AS SELECT 2 AS y;\nSELECT 1 AS id, 2 AS x${columns} FROM temp.h\n`;
    try {
      project.write('models/a.sql', model(''));
      await project.plinth('plan', '--yes');
      project.write('models/a.sql', model(', y'));
      return await codeOfCommand(project, 'plan.type-unknown', ['plan', '--forward-only']);
    } finally {
      project.remove();
    }
  }),
  planned('plan.schema-hidden', ['plan'], {
    'config.yaml': CONFIG.replace('database: w.duckdb', "catalogs: {w: 'w.duckdb', m: 'm.duckdb'}"),
  }),
  acting('plan.name-taken', async () => {
    const served = await servedProduct(
      { 'models/e.sql': 'MODEL (name m.e, kind VIEW);\nSELECT 1 AS id\n' },
      { isPlanned: false },
    );
    try {
      await served.product.world.engine.write([], (session) =>
        session.execute('CREATE SCHEMA m; CREATE TABLE m.e AS SELECT 1 AS id'),
      );
      const { diagnostics } = await draftProduct(served.product);
      return diagnostics.find(({ severity }) => severity === 'error')?.code;
    } finally {
      await served.close();
    }
  }),
  planned('engine.no-adapter', ['plan'], {
    'config.yaml': CONFIG.replace(
      '{type: duckdb, database: w.duckdb}',
      '{type: trino, host: h, user: u, catalog: c}',
    ),
  }),
  planned('state.no-adapter', ['plan'], {
    'config.yaml': CONFIG.replace(
      'w.duckdb}',
      'w.duckdb}\n    state_connection: {type: mysql, host: h, user: u, password: p}',
    ),
  }),
  acting('plan.widens-access', async () => {
    const project = plannedProject({ ...FILES, 'models/semantics/a.yml': SEMANTIC('[{group: g}]') });
    try {
      await project.plinth('plan', '--yes');
      project.write('models/semantics/a.yml', SEMANTIC('[]'));
      return await codeOfCommand(project, 'plan.widens-access', ['plan', '--yes']);
    } finally {
      project.remove();
    }
  }),
  planned('cli.git-failed', ['plan', '--select', 'git:main']),
  planned('cli.unknown-plan', ['apply', 'p_nothing', '--yes']),
  planned('cli.bad-plan-file', ['apply', 'other.json', '--yes']),
  planned('cli.cannot-read', ['apply', 'missing.json', '--yes']),
  planned('cli.unknown-run', ['runs', 'r_nothing']),
  acting('cli.needs-yes', async () => {
    const project = plannedProject(FILES);
    try {
      await project.plinth('plan', '-o', 'plan.json');
      return await codeOfCommand(project, 'cli.needs-yes', ['apply', 'plan.json']);
    } finally {
      project.remove();
    }
  }),
  applied('cli.environment-pinned', 'invalidate', 'prod'),
  acting('cli.signal-failed', async () => {
    shared ??= applyBoth();
    const project = await shared;
    project.now('2025-01-08');
    return codeOfCommand(project, 'cli.signal-failed', ['run']);
  }),
  applied('query.not-a-query', 'query', '--sql', 'DROP VIEW m.a'),
  applied('query.unknown-model', 'query', '--sql', 'SELECT * FROM m.b'),
  applied('query.no-table', 'table-name', 'm.e'),
  applied('query.no-key', 'table-diff', 'prod:dev', 'm.a'),
  applied('query.unknown-column', 'table-diff', 'prod:dev', 'm.a', '--on', 'nope'),
  applied('query.unknown-table', 'table-diff', 'm.a:m.nothing', '--on', 'id'),
];
