import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { UserCode } from '../../domain/user-code.ts';
import { workerUserCode } from './worker-user-code.ts';

const folders: string[] = [];
const running: UserCode[] = [];

afterEach(async () => {
  for (const code of running.splice(0)) await code.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function project(files: Readonly<Record<string, string>>): {
  readonly code: UserCode;
  readonly folder: string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-user-code-'));
  folders.push(folder);
  write(folder, files);
  const code = workerUserCode(folder);
  running.push(code);
  return { code, folder };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const call = (name: string, ...given: readonly unknown[]) => ({
  function: name,
  arguments: given,
  context: {},
});

test('functions are found without running the file, with types stripped when they are called', async () => {
  const { code } = project({
    'macros/money.ts':
      'export function cents(column: string): string { return `${column} * 100`; }\nexport const twice = (x: string) => `${x} + ${x}`;\n',
    'macros/ignored.test.ts': 'export function nothing() {}',
  });
  const { functions, problems } = await code.functions('macros');
  expect(functions.map(({ name, file }) => [name, file])).toEqual([
    ['cents', 'macros/money.ts'],
    ['twice', 'macros/money.ts'],
  ]);
  expect(problems).toEqual([]);
  expect(await code.call('macros', call('CENTS', 'o.price'))).toEqual({ ok: true, value: 'o.price * 100' });
  expect(await code.call('macros', call('twice', 'a'))).toEqual({ ok: true, value: 'a + a' });
});

test('an error in user code names the line of the file', async () => {
  const { code } = project({
    'macros/bad.js': "export function bad() {\n  throw new Error('no such region');\n}\n",
  });
  expect(await code.call('macros', call('bad'))).toEqual({
    ok: false,
    problem: { kind: 'threw', file: 'macros/bad.js', message: 'no such region', line: 2, column: 9 },
  });
});

test('a file that cannot be loaded is a problem of the call, not a crash', async () => {
  const { code } = project({ 'macros/broken.ts': 'export function broken() { return ( }\n' });
  const result = await code.call('macros', call('broken'));
  expect(result).toMatchObject({ ok: false, problem: { kind: 'cannot-load', file: 'macros/broken.ts' } });
});

test('a result that is not plain data is refused', async () => {
  const { code } = project({ 'macros/odd.js': 'export function odd() { return () => 1; }\n' });
  expect(await code.call('macros', call('odd'))).toMatchObject({
    ok: false,
    problem: { kind: 'bad-result' },
  });
});

test('a loop that never ends stops after its time, and only it fails', async () => {
  const { code } = project({
    'macros/loop.js': 'export function loop() { for (;;) {} }\nexport function fine(x) { return x; }\n',
  });
  const [stuck, fine] = await Promise.all([
    code.call('macros', call('loop')),
    code.call('macros', call('fine', 'a')),
  ]);
  expect(stuck).toMatchObject({ ok: false, problem: { kind: 'timeout', file: 'macros/loop.js' } });
  expect(fine).toEqual({ ok: true, value: 'a' });
});

test('code that ends its thread fails at once', async () => {
  const { code } = project({ 'macros/exit.js': 'export function leave() { process.exit(0); }\n' });
  expect(await code.call('macros', call('leave'))).toMatchObject({ ok: false, problem: { kind: 'threw' } });
});

test('columns that were not given are asked for', async () => {
  const { code } = project({
    'macros/names.js':
      "export function names(table) { return this.columnsOf(table)?.map((c) => c.name) ?? 'unknown'; }\n",
  });
  const asked = { ...call('names', 'a.b'), context: { columns: {} } };
  expect(await code.call('macros', asked)).toEqual({ ok: true, value: { needsColumnsOf: 'a.b' } });
  const given = { ...asked, context: { columns: { 'a.b': [{ name: 'x', type: 'INT' }] } } };
  expect(await code.call('macros', given)).toEqual({ ok: true, value: ['x'] });
  const unknown = { ...asked, context: { columns: { 'a.b': null } } };
  expect(await code.call('macros', unknown)).toEqual({ ok: true, value: 'unknown' });
});

test('a changed import changes the hash and is what the next call runs', async () => {
  const { code, folder } = project({
    'macros/a.js':
      "import { rate } from './lib/rate.js';\nexport function tax(x) { return `${x} * ${rate}`; }\n",
    'macros/lib/rate.js': 'export const rate = 19;\n',
  });
  const before = (await code.functions('macros')).functions.find(({ name }) => name === 'tax');
  expect(await code.call('macros', call('tax', 'p'))).toEqual({ ok: true, value: 'p * 19' });
  write(folder, { 'macros/lib/rate.js': 'export const rate = 20;\n' });
  const after = (await code.functions('macros')).functions.find(({ name }) => name === 'tax');
  expect(after?.hash).not.toBe(before?.hash);
  expect(await code.call('macros', call('tax', 'p'))).toEqual({ ok: true, value: 'p * 20' });
});

test('an import from outside the folder is a positioned problem', async () => {
  const { code } = project({
    'macros/a.js': "// first\nimport { x } from '../secret.js';\nexport const f = () => x;\n",
    'secret.js': 'export const x = 1;',
  });
  const { problems } = await code.functions('macros');
  expect(problems).toMatchObject([{ kind: 'import-outside', file: 'macros/a.js', line: 2 }]);
});

const EVIL = 'export const x = 1;\n';

test.each([
  ['a module of Node', "import 'node:fs';"],
  ['a module of Node by its old name', "import { readFileSync } from 'fs';"],
  ['a package', "import vitest from 'vitest';"],
  ['a file outside', "import { x } from '../evil.ts';"],
  ['a file of another folder', "import { x } from '../linter/rule.ts';"],
  ['a file that imports one', "import { x } from './lib/between.ts';"],
  ['import() of a module', "const fs = await import('node:fs');"],
  ['import() of a file', 'const evil = await import(`../evil.ts`);'],
  ['require', "const fs = require('fs');"],
])('%s outside the folder: the file is never loaded', async (_, line) => {
  const { code } = project({
    'macros/bad.ts': `${line}\nthrow new Error('it was loaded');\nexport function bad() { return '1'; }\n`,
    'macros/lib/between.ts': "export { x } from '../../evil.ts';\n",
    'macros/good.ts': "export function good() { return '2'; }\n",
    'linter/rule.ts': 'export const x = 1;\n',
    'evil.ts': EVIL,
  });
  const { problems } = await code.functions('macros');
  expect(problems.map(({ kind }) => kind)).toContain('import-outside');
  const result = await code.call('macros', call('bad'));
  expect(result).toMatchObject({ ok: false, problem: { kind: 'cannot-load', line: 1 } });
  expect(!result.ok && result.problem.message).toMatch(
    /^its file is not loaded, because .* lies outside macros\/$/,
  );
  expect(await code.call('macros', call('good'))).toEqual({ ok: true, value: '2' });
});

test.each([
  ['a computed module of Node', "await import('node:' + 'fs')"],
  ['a computed file outside', "await import('../ev' + 'il.ts')"],
  ['a computed path of the machine', "await import('/etc/' + 'passwd')"],
  ['a data URL', "await import('data:text/javascript,' + 'export default 1')"],
  ['eval', 'await eval("imp" + "ort(\'node:fs\')")'],
  ['a way of Node around imports', "process.getBuiltinModule('fs').readFileSync"],
])('%s is refused when it runs', async (_, expression) => {
  const { code } = project({
    'macros/sly.ts': `export async function sly() { return String(typeof (${expression})); }\n`,
    'evil.ts': EVIL,
  });
  expect((await code.functions('macros')).problems).toEqual([]);
  expect(await code.call('macros', call('sly'))).toMatchObject({ ok: false, problem: { kind: 'threw' } });
});

test('a computed import inside the folder and types of plinth are allowed', async () => {
  const { code } = project({
    'macros/fine.ts':
      "// as in import('node:fs')\nimport type { MacroContext } from 'plinth';\nexport async function fine(this: MacroContext) { return (await import('./lib/' + 'rate.ts')).rate; }\n",
    'macros/lib/rate.ts': "export const rate = '19';\n",
  });
  expect((await code.functions('macros')).problems).toEqual([]);
  expect(await code.call('macros', call('fine'))).toEqual({ ok: true, value: '19' });
});

test('an outside import that two files share is one problem', async () => {
  const { code } = project({
    'macros/a.ts': "import './c.ts';\nexport const a = () => '1';\n",
    'macros/b.ts': "import './c.ts';\nexport const b = () => '1';\n",
    'macros/c.ts': "import 'node:fs';\n",
  });
  expect((await code.functions('macros')).problems).toMatchObject([{ file: 'macros/c.ts', line: 1 }]);
});

test('a project without the folder has no functions', async () => {
  const { code } = project({ 'config.yaml': '' });
  expect(await code.functions('macros')).toEqual({ functions: [], problems: [] });
  expect(await code.call('macros', call('any'))).toMatchObject({
    ok: false,
    problem: { kind: 'cannot-load' },
  });
});
