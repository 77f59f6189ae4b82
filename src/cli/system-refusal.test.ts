import { closeSync, openSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemRefusal } from './system-refusal.ts';

function refused(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
const systemError = (code: string): Error =>
  Object.assign(new Error(code), { code, errno: -5, syscall: 'unlink', path: '/p/x' });

test('an error of the disk is told by its call and its file, and is no bug', () => {
  expect(systemRefusal(systemError('EIO'))).toMatchObject({
    code: 'cli.system-refused',
    message: 'The system refused unlink of /p/x: the disk has an error.',
  });
});

test('what Node says without a code when it removes a file, or loads one, is understood', () => {
  const removing = new Error(", Unknown error: Input/output error '/p/x.sock'");
  expect(systemRefusal(removing)?.message).toBe(
    'The system refused unlink of /p/x.sock: the disk has an error.',
  );
  const loading = new Error('Cannot read package config /p/package.json: too many open files');
  expect(systemRefusal(loading)?.message).toContain('this process has reached its limit of open files');
});

test('too few file handles are told with how to have more', () => {
  expect(systemRefusal(systemError('EMFILE'))?.hint).toContain('ulimit -n 1024');
});

test('a file that is missing and a handle that was closed are bugs, as is what is no error of the system', () => {
  expect(systemRefusal(refused(() => readFileSync('/nowhere/at/all')))).toBeUndefined();
  const handle = openSync(import.meta.filename, 'r');
  closeSync(handle);
  expect(systemRefusal(refused(() => closeSync(handle)))).toBeUndefined();
  expect(systemRefusal(new TypeError('x is not a function'))).toBeUndefined();
  expect(systemRefusal(undefined)).toBeUndefined();
});
