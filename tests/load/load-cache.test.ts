import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

const FILES: Readonly<Record<string, string>> = {
  'config.yaml': 'name: cached\nvariables: {limit_to: 10, unused: 1}\n',
  'external_models.yaml':
    "- name: raw.orders\n  columns: {order_id: int, amount: 'decimal(10,2)', region: text}\n",
  'macros/money.ts': "export function half(a: string): string {\n  return '(' + a + ') / 2';\n}\n",
  'macros/other.ts': "export function other(): string {\n  return '1';\n}\n",
  'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT order_id, amount, region FROM raw.orders',
  'models/b.sql': 'MODEL (name m.b, kind FULL);\nSELECT order_id, @half(amount) AS amount FROM m.a',
  'models/c.sql': 'MODEL (name m.c, kind FULL);\nSELECT *, @limit_to AS limited FROM m.b',
  'models/d.sql': 'MODEL (name m.d, kind FULL);\nSELECT 1 AS one',
};

let project: TemporaryProject;
beforeEach(() => {
  project = temporaryProject(FILES);
});
afterEach(() => project.delete());

const types = async (name: string): Promise<string> => {
  const { project: loaded } = await project.load();
  return (loaded.models.find((model) => model.name === name)?.columns ?? [])
    .map((column) => `${column.name} ${column.type}`)
    .join(', ');
};

describe('loading again', () => {
  test('a first load compiles everything', async () => {
    const { work, diagnostics } = await project.load();
    expect(diagnostics).toEqual([]);
    expect(work).toEqual({ loaded: 4, analyzed: 4, resolved: 4 });
    expect(await types('m.c')).toBe('order_id INTEGER, amount DOUBLE, limited INTEGER');
  });
  test('nothing changed: nothing is compiled, and the project is the same', async () => {
    const first = await project.load();
    const second = await project.load();
    expect(second.work).toEqual({ loaded: 0, analyzed: 0, resolved: 0 });
    expect(second.project).toEqual(first.project);
    expect(second.diagnostics).toEqual(first.diagnostics);
  });
  test('a changed leaf is compiled alone', async () => {
    await project.load();
    project.write({ 'models/d.sql': 'MODEL (name m.d, kind FULL);\nSELECT 2 AS one, 3 AS two' });
    expect((await project.load()).work).toEqual({ loaded: 1, analyzed: 1, resolved: 1 });
  });
  test('a changed root is compiled with what depends on it, as far as columns change', async () => {
    await project.load();
    project.write({
      'models/a.sql':
        'MODEL (name m.a, kind FULL);\nSELECT order_id, amount, upper(region) AS region FROM raw.orders',
    });
    expect((await project.load()).work).toEqual({ loaded: 1, analyzed: 1, resolved: 1 });
    project.write({
      'models/a.sql':
        'MODEL (name m.a, kind FULL);\nSELECT order_id::BIGINT AS order_id, amount, region FROM raw.orders',
    });
    expect((await project.load()).work).toMatchObject({ loaded: 1, resolved: 3 });
    expect(await types('m.c')).toBe('order_id BIGINT, amount DOUBLE, limited INTEGER');
  });
  test('a variable whose value now comes from the environment makes the same model with and without the cache', async () => {
    const config = (value: string): Readonly<Record<string, string>> => ({
      'config.yaml': `name: cached\nvariables: {limit_to: "${value}", unused: 1}\n`,
    });
    const hashOf = async (of: TemporaryProject): Promise<string | undefined> => {
      const { project: loaded } = await of.load({ LIMIT_TO: '10' });
      return loaded.models.find(({ name }) => name === 'm.c')?.queryHash;
    };
    const fresh = temporaryProject({ ...FILES, ...config("{{ env_var('LIMIT_TO') }}") });
    try {
      project.write(config('10'));
      const before = await hashOf(project);
      project.write(config("{{ env_var('LIMIT_TO') }}"));
      const after = await hashOf(fresh);
      expect(after).not.toBe(before);
      expect(await hashOf(project)).toBe(after);
    } finally {
      fresh.delete();
    }
  });
  test('a changed macro invalidates only the models that use it, and what reads their columns', async () => {
    await project.load();
    project.write({ 'macros/other.ts': "export function other(): string {\n  return '2';\n}\n" });
    expect((await project.load()).work).toEqual({ loaded: 0, analyzed: 0, resolved: 0 });
    project.write({
      'macros/money.ts':
        "export function half(a: string): string {\n  return 'CAST((' + a + ') / 2 AS DECIMAL(12, 4))';\n}\n",
    });
    expect((await project.load()).work).toMatchObject({ loaded: 0, analyzed: 1, resolved: 2 });
    expect(await types('m.c')).toBe('order_id INTEGER, amount DECIMAL(12,4), limited INTEGER');
  });
  test('a changed variable invalidates only the models that use it', async () => {
    await project.load();
    project.write({ 'config.yaml': 'name: cached\nvariables: {limit_to: 10, unused: 2}\n' });
    // Only m.b is looked at again: a function of the user's may read any variable.
    expect((await project.load()).work).toEqual({ loaded: 0, analyzed: 1, resolved: 1 });
    project.write({ 'config.yaml': "name: cached\nvariables: {limit_to: 'x', unused: 2}\n" });
    expect((await project.load()).work).toMatchObject({ loaded: 0, analyzed: 2, resolved: 2 });
    expect(await types('m.c')).toBe('order_id INTEGER, amount DOUBLE, limited VARCHAR');
  });
  test('changed columns of an external table reach everything below it', async () => {
    await project.load();
    project.write({
      'external_models.yaml':
        '- name: raw.orders\n  columns: {order_id: bigint, amount: double, region: text}\n',
    });
    expect((await project.load()).work).toMatchObject({ loaded: 0, resolved: 3 });
    expect(await types('m.b')).toBe('order_id BIGINT, amount DOUBLE');
  });
  test('changed defaults are seen by every file', async () => {
    await project.load();
    project.write({
      'config.yaml': 'name: cached\nvariables: {limit_to: 10}\nmodel_defaults: {owner: mara}\n',
    });
    const { project: loaded } = await project.load();
    expect(loaded.models.filter((model) => model.kind.kind === 'full').map((model) => model.owner)).toEqual([
      'mara',
      'mara',
      'mara',
      'mara',
    ]);
  });
  test('a removed model is gone, and its reader says so', async () => {
    await project.load();
    project.remove('models/a.sql');
    const { project: loaded, diagnostics } = await project.load();
    expect(loaded.models.map(({ name }) => name).sort()).toEqual(['m.b', 'm.c', 'm.d', 'raw.orders']);
    expect(diagnostics.map(({ code }) => code)).toContain('model.undeclared-external');
  });
  test('errors are remembered as well as facts', async () => {
    project.write({
      'models/d.sql': 'MODEL (name m.d, kind FULL);\nSELECT nothing FROM m.a',
      'models/e.sql': 'MODEL (name m.e);\nSELECT FROM WHERE',
    });
    const first = await project.load();
    const second = await project.load();
    expect(first.diagnostics.map(({ code }) => code).sort()).toEqual(['sql.syntax', 'sql.unknown-column']);
    expect(second.diagnostics).toEqual(first.diagnostics);
    expect(second.work).toEqual({ loaded: 0, analyzed: 0, resolved: 0 });
  });
});

test('a changed Jinja macro reaches the statements beside a query', async () => {
  project.write({
    'macros/note.sql': "{% macro note() %}SELECT 'old'{% endmacro %}",
    'models/d.sql':
      'MODEL (name m.d, kind FULL);\nSELECT 1 AS one;\nJINJA_STATEMENT_BEGIN;\n{{ note() }}\nJINJA_END;',
  });
  const hash = async () =>
    (await project.load()).project.models.find(({ name }) => name === 'm.d')?.statementsHash;
  const first = await hash();
  expect(await hash()).toBe(first);
  project.write({ 'macros/note.sql': "{% macro note() %}SELECT 'new'{% endmacro %}" });
  expect(await hash()).not.toBe(first);
});

describe('what may go otherwise next time is not remembered', () => {
  const withBad = { 'models/e.sql': 'MODEL (name m.e, kind FULL);\nSELECT @bad(1) AS x FROM m.a' };
  test.each([
    ['throws', "export function bad() { throw new Error('no'); }\n"],
    ['cannot be loaded', 'export function bad( { return\n'],
    ['may not be loaded', "import 'node:fs';\nexport function bad() { return '1'; }\n"],
    ['ends its thread', 'export function bad() { process.exit(1); }\n'],
  ])('a macro that %s is called again, and only its model is read again', async (_, text) => {
    project.write({ ...withBad, 'macros/bad.ts': text });
    const first = await project.load();
    expect(first.diagnostics.map(({ code }) => code)).toContain('macro.user-code-failed');
    const second = await project.load();
    expect(second.work).toEqual({ loaded: 0, analyzed: 1, resolved: 0 });
    expect(second.diagnostics).toEqual(first.diagnostics);
    expect(second.project).toEqual(first.project);
  });
  test('a bug of ours on one model is reported there, the others load, and the next load tries again', async () => {
    project.write({ ...withBad, 'macros/bad.ts': "export function bad(): string { return '1'; }\n" });
    const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: 0 });
    try {
      const { diagnostics, project: loaded } = await loadProject({
        ...workspace,
        userCode: {
          ...workspace.userCode,
          call(folder, call) {
            if (call.function.toLowerCase() === 'bad')
              throw new RangeError('Maximum call stack size exceeded');
            return workspace.userCode.call(folder, call);
          },
        },
      });
      expect(diagnostics.map(({ code, at }) => [code, at?.file])).toEqual([
        ['model.internal-error', 'models/e.sql'],
      ]);
      expect(diagnostics[0]?.message).toBe(
        'Plinth itself failed on m.e, which is a bug of Plinth: RangeError: Maximum call stack size exceeded.',
      );
      expect(loaded.models.find(({ name }) => name === 'm.c')?.columns).toHaveLength(3);
    } finally {
      await workspace.close();
    }
    const next = await project.load();
    expect(next.diagnostics).toEqual([]);
    expect(next.work).toEqual({ loaded: 0, analyzed: 1, resolved: 1 });
  });
});

describe('a cache that cannot be trusted', () => {
  const file = (): string => {
    const folder = join(project.folder, '.plinth/cache');
    return join(folder, 'models.facts');
  };
  test.each([
    ['cut short', (text: string) => text.slice(0, text.length / 2)],
    ['edited', (text: string) => text.replace('DOUBLE', 'DOUBLF')],
    ['empty', () => ''],
    ['not a cache at all', () => 'hello\nworld\n'],
    ['a header without a body', (text: string) => text.slice(0, text.indexOf('\n') + 1)],
  ])('is ignored when it is %s', async (_, spoil) => {
    const first = await project.load();
    writeFileSync(file(), spoil(readFileSync(file(), 'utf8')));
    const second = await project.load();
    expect(second.work).toEqual({ loaded: 4, analyzed: 4, resolved: 4 });
    expect(second.project).toEqual(first.project);
  });
});
