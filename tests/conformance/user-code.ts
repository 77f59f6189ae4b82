import { afterEach, expect, test } from 'vitest';
import type { UserCall, UserCode } from '../../src/domain/user-code.ts';

const call = (name: string, ...args: readonly unknown[]): UserCall => ({
  function: name,
  arguments: args,
  context: { dialect: 'duckdb' },
});

/** What everything that runs users' code must do; `open` makes one over exactly these files of a project. */
export function userCodeConformance(open: (files: Readonly<Record<string, string>>) => UserCode): void {
  let code: UserCode | undefined;
  afterEach(() => code?.close());
  const opened = (text: string): UserCode => {
    code = open({ 'macros/m.ts': text });
    return code;
  };
  test('finds exported functions by name, with a hash that follows the text', async () => {
    const one = await opened(
      'export function half(a: string) {\n  return a;\n}\nexport const two = () => 2;\nfunction hidden() {}\n',
    ).functions('macros');
    const other = await opened('export function half(a: string) {\n  return a + a;\n}\n').functions('macros');
    expect(one.functions.map(({ name, file }) => `${file} ${name}`)).toEqual([
      'macros/m.ts half',
      'macros/m.ts two',
    ]);
    expect(other.functions[0]?.hash).not.toBe(one.functions[0]?.hash);
  });
  test('a folder that is not there has no functions', async () =>
    expect((await opened('').functions('linter')).functions).toEqual([]));
  test('calls a function with plain data and its context as this', async () => {
    const made = opened(
      'export function f(this: { dialect: string }, a: string, b: string[]) {\n  return [this.dialect, a, ...b];\n}\n',
    );
    expect(await made.call('macros', call('F', 'x', ['y']))).toEqual({
      ok: true,
      value: ['duckdb', 'x', 'y'],
    });
  });
  test('what is thrown comes back with file and line', async () => {
    const made = opened("export function f() {\n  throw new Error('no');\n}\n");
    expect(await made.call('macros', call('f'))).toMatchObject({
      ok: false,
      problem: { kind: 'threw', file: 'macros/m.ts', message: 'no', line: 2 },
    });
    expect(await made.call('macros', call('nobody'))).toMatchObject({
      ok: false,
      problem: { kind: 'cannot-load' },
    });
  });
  test('a loop that never ends costs that call, and the next one works', async () => {
    const made = opened(
      'export function loop() {\n  for (;;);\n}\nexport function fine() {\n  return 1;\n}\n',
    );
    expect(await made.call('macros', call('loop'))).toMatchObject({
      ok: false,
      problem: { kind: 'timeout' },
    });
    expect(await made.call('macros', call('fine'))).toEqual({ ok: true, value: 1 });
  });
}
