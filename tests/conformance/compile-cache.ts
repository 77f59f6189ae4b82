import { expect, test } from 'vitest';
import type { CompileCache } from '../../src/domain/compile-cache.ts';

/** What every compile cache must do; `open` opens the same place again, as the program of that build. */
export function compileCacheConformance(open: (build: string) => CompileCache): void {
  const entries = new Map([
    ['models/a.sql', '{"columns":["é\\n","\\t"]}'],
    ['models/b c.sql', '[]'],
  ]);
  test('gives back what was put in, to a later opening too', async () => {
    await open('one').replaceAll('models', entries);
    expect(await open('one').readAll('models')).toEqual(entries);
  });
  test('a room that nobody filled is empty', async () =>
    expect((await open('one').readAll('nothing')).size).toBe(0));
  test('rooms do not see each other', async () => {
    await open('one').replaceAll('models', entries);
    await open('one').replaceAll('names', new Map([['x', '1']]));
    expect((await open('one').readAll('models')).size).toBe(2);
  });
  test('replacing a room leaves nothing of what it held', async () => {
    await open('one').replaceAll('models', entries);
    await open('one').replaceAll('models', new Map([['models/c.sql', '{}']]));
    expect([...(await open('one').readAll('models')).keys()]).toEqual(['models/c.sql']);
  });
  test('facts of another build are not there', async () => {
    await open('old').replaceAll('models', entries);
    expect((await open('new').readAll('models')).size).toBe(0);
  });
}
