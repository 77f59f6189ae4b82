/** What `plinth doctor` says of the state: one that works, and each way in which one does not. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Ended,
  envelope,
  runPlinth,
  type TemporaryProject,
  temporaryProject,
} from '../e2e/run-plinth.ts';
import {
  type PostgresServer,
  postgresPrograms,
  STATE_PASSWORD,
  startPostgresServer,
  startStandby,
} from '../postgres-server.ts';
import { configText, type StateOptions } from './configured-state.ts';

interface Finding {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly fix: string | null;
}

const MODEL = { 'models/one.sql': 'MODEL (name m.one);\nSELECT 1 AS id\n' };
const AHEAD = pathToFileURL(join(import.meta.dirname, 'other-machine.mjs')).href;

/** Everything the doctor said, and what it said of the state. */
async function doctorOf(
  { folder }: TemporaryProject,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly ended: Ended; readonly state: Finding | undefined }> {
  const ended = await runPlinth(['doctor', '--json'], {
    cwd: folder,
    variables: { STATE_PASSWORD, ...variables },
  });
  const findings = (envelope(ended).data?.['findings'] ?? []) as readonly Finding[];
  return { ended, state: findings.find(({ name }) => name === 'state') };
}

describe('the doctor and a state in a file', () => {
  const projects: TemporaryProject[] = [];
  const inFile = (database: string): TemporaryProject => {
    const connection = JSON.stringify({ type: 'sqlite', database });
    const text = `gateways:\n  local:\n    connection: {type: duckdb, database: w.duckdb}\n    state_connection: ${connection}\n`;
    const project = temporaryProject({
      ...MODEL,
      'config.yaml': `${text}model_defaults: {dialect: duckdb}\n`,
    });
    projects.push(project);
    return project;
  };
  afterAll(() => {
    for (const { remove } of projects) remove();
  });

  test('says which file, that it can be written, and its versions', async () => {
    const { ended, state } = await doctorOf(inFile('kept/state.db'));
    expect(ended.code, ended.stdout).toBe(0);
    expect(state).toMatchObject({ status: 'ok', fix: null });
    expect(state?.detail).toMatch(
      /^gateway local: SQLite 3\.\d+\.\d+, .*kept\/state\.db, can be written, schema version \d+$/,
    );
  });

  test.each<[string, (path: string) => void, string]>([
    ['is a folder', (path) => mkdirSync(path), 'state.cannot-open'],
    ['is damaged', (path) => writeFileSync(path, 'not a database '.repeat(100)), 'state.unreadable'],
  ])('names gateway, code and next step when the file %s', async (_, spoil, code) => {
    const project = inFile('state.db');
    spoil(join(project.folder, 'state.db'));
    const { ended, state } = await doctorOf(project);
    expect(ended.code).toBe(1);
    expect(state).toMatchObject({ status: 'fail', fix: expect.stringMatching(/\S/) });
    expect(state?.detail).toMatch(/^gateway local: .*state\.db/);
    expect(state?.detail).toContain(`(${code})`);
  });

  test('is not looked at where there is no project', async () => {
    const project = temporaryProject({});
    projects.push(project);
    expect((await doctorOf(project)).state).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/no project/),
    });
  });
});

describe.skipIf(postgresPrograms() === undefined)('the doctor and a state on a server', () => {
  let server: PostgresServer;
  let standby: PostgresServer;
  const projects: TemporaryProject[] = [];
  beforeAll(async () => {
    server = await startPostgresServer();
    await server.ask(`CREATE ROLE guest LOGIN PASSWORD '${STATE_PASSWORD}'`);
    standby = await startStandby(server);
  });
  afterAll(async () => {
    for (const { remove } of projects) remove();
    await standby.stop();
    await server.stop();
  });
  const onServer = (options: StateOptions, port = server.port): TemporaryProject => {
    const project = temporaryProject({ ...MODEL, 'config.yaml': configText(port, options) });
    projects.push(project);
    return project;
  };

  test('says which server, that it can be written, and its versions', async () => {
    const { ended, state } = await doctorOf(onServer({}));
    expect(ended.code, ended.stdout).toBe(0);
    expect(state).toMatchObject({ status: 'ok', fix: null });
    expect(state?.detail).toMatch(
      /^gateway local: PostgreSQL \d+[^,]*, 127\.0\.0\.1:\d+\/states, schema plinth, can be written, schema version \d+$/,
    );
  });

  test.each([
    ['ahead of', -300_000],
    ['behind', 300_000],
  ])('warns of a server whose clock is five minutes %s this machine', async (where, aheadMs) => {
    const { ended, state } = await doctorOf(onServer({}), {
      NODE_OPTIONS: `--import=${AHEAD}`,
      PLINTH_TEST_AHEAD_MS: String(aheadMs),
    });
    expect(ended.code, ended.stdout).toBe(0);
    expect(state).toMatchObject({ status: 'warn', fix: expect.stringMatching(/clock/) });
    expect(state?.detail).toMatch(new RegExp(`its clock is (?:299|300|301) s ${where} `));
  });

  test.each<[string, () => TemporaryProject, string]>([
    ['refuses the password', () => onServer({ password: 'of another' }), 'state.login-refused'],
    ['cannot be reached', () => onServer({}, 1), 'state.cannot-connect'],
    ['gives no rights', () => onServer({ user: 'guest', schema: 'another' }), 'state.no-rights'],
    ['is a standby', () => onServer({}, standby.port), 'state.read-only'],
  ])('names gateway, code and next step when the server %s', async (_, made, code) => {
    const { ended, state } = await doctorOf(made());
    expect(ended.code).toBe(1);
    expect(state).toMatchObject({ status: 'fail', fix: expect.stringMatching(/\S/) });
    expect(state?.detail).toContain('gateway local');
    expect(state?.detail).toContain(`(${code})`);
    expect(ended.stdout).not.toContain(STATE_PASSWORD);
    expect(ended.stdout).not.toContain('of another');
  });
});
