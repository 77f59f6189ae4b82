/** Every command with a state in PostgreSQL, and the way of a state from SQLite there and back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { TINY_PROJECT } from '../e2e/tiny-project.ts';
import {
  type PostgresServer,
  postgresPrograms,
  STATE_DATABASE,
  STATE_PASSWORD,
  STATE_USER,
  startPostgresServer,
} from '../postgres-server.ts';

describe.skipIf(postgresPrograms() === undefined)('a project whose state lies in PostgreSQL', () => {
  let server: PostgresServer;
  let project: PlannedProject;
  const configOf = (schema: string): string => {
    const options = {
      host: '127.0.0.1',
      port: server.port,
      user: STATE_USER,
      database: STATE_DATABASE,
      schema,
    };
    const connection = JSON.stringify({ type: 'postgres', ...options, password: STATE_PASSWORD });
    return (TINY_PROJECT['config.yaml'] as string).replace(
      'tiny.duckdb}',
      `tiny.duckdb}\n    state_connection: ${connection}`,
    );
  };
  beforeAll(async () => {
    server = await startPostgresServer();
    project = plannedProject({ ...TINY_PROJECT, 'config.yaml': configOf('plinth') });
  });
  afterAll(async () => {
    project.remove();
    await server.stop();
  });
  const done = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.plinth(...words);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout + stderr).not.toContain(STATE_PASSWORD);
    return stdout;
  };

  const textOf = (file: string): string => readFileSync(join(project.folder, file), 'utf8');

  test('is planned, run, asked, listed and cleaned up', async () => {
    await done('plan', '--yes');
    project.now('2025-01-06');
    await done('run');
    expect((await project.json('plan')).data).toMatchObject({ changes: [], stages: [] });
    expect(await project.rows('SELECT 1 AS one')).toEqual([[1]]);
    await done('environments');
    await done('status');
    await done('janitor');
    await done('doctor');
  });

  test('moves to SQLite and back with state export and import', async () => {
    const before = await project.json('environments');
    await done('user', 'create', 'cleo', '--group', 'eu');
    await done('grant', 'cleo', 'consumer');
    await done('token', 'create', '--user', 'cleo');
    await done('plan', '--yes', '--restate-model', 'staging.orders');
    await done('state', 'export', 'served.jsonl');
    project.write('config.yaml', TINY_PROJECT['config.yaml'] as string);
    await done('state', 'import', 'served.jsonl');
    expect((await project.json('environments')).data).toEqual(before.data);
    await done('state', 'export', 'file.jsonl');
    expect(textOf('file.jsonl')).toBe(textOf('served.jsonl'));
    project.write('config.yaml', configOf('second'));
    await done('state', 'import', 'file.jsonl');
    await done('state', 'export', 'again.jsonl');
    expect(textOf('again.jsonl')).toBe(textOf('served.jsonl'));
    const kinds = new Set(textOf('again.jsonl').match(/(?<=^\{"kind":")\w+/gm));
    for (const kind of ['principals', 'tokens', 'grants', 'audit_log', 'plans', 'events', 'intervals'])
      expect(kinds).toContain(kind);
    expect((await project.json('environments')).data).toEqual(before.data);
    expect((await project.json('plan')).data).toMatchObject({ changes: [], stages: [] });
  });

  test('says what is wrong with the server in one line, with a code, and without the password', async () => {
    project.write('config.yaml', configOf('second').replace(`"port":${server.port}`, '"port":1'));
    const { code, error } = await project.json('plan');
    expect(code).toBe(1);
    expect(error).toMatchObject({
      code: 'state.cannot-connect',
      message: expect.stringContaining('gateway local'),
    });
    expect(JSON.stringify(error)).not.toContain(STATE_PASSWORD);
  });
});
