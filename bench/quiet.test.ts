import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { measurePart, type PartTime, quietLoad, unfit, type Watch, writeResults } from './quiet.ts';

const folder = mkdtempSync(join(tmpdir(), 'plinth-quiet-'));
afterAll(() => rmSync(folder, { recursive: true }));
vi.spyOn(console, 'error').mockImplementation(() => undefined);

/** A machine whose load falls by so much with each pause of a minute. */
function machine(load: number, fall: number): Watch {
  let minutes = 0;
  return {
    commit: () => 'abc1234',
    load: () => Math.max(0, load - fall * minutes),
    pause: () => Promise.resolve(minutes++),
    now: () => Date.parse('2026-01-01T00:00:00Z') + minutes * 60_000,
  };
}
const time = (before: number): PartTime => ({
  at: '2026-01-01T00:00:00.000Z',
  commit: 'abc1234',
  loadAverage: { before, after: 9 },
});

describe('a quiet machine', () => {
  test('is waited for', async () => {
    expect(await quietLoad(machine(1.5, 0))).toBe(1.5);
    expect(await quietLoad(machine(4, 0.5))).toBe(1.5);
  });
  test('that does not become so is an error that says what to do', async () => {
    await expect(quietLoad(machine(1.6, 0))).rejects.toThrow(
      'The load average is 1.6, expected at most 1.5: no figures are taken beside other work. Next step:',
    );
  });
  test('is what each part is measured on, with the commit and the time of the part', async () => {
    const measured: string[] = [];
    const measure = (): Promise<number> => Promise.resolve(measured.push('measured'));
    await expect(measurePart(measure, machine(3, 0))).rejects.toThrow('3.0');
    expect(measured).toEqual([]);
    const { figures, time } = await measurePart(measure, machine(3, 0.5));
    expect(figures).toBe(1);
    expect(time).toEqual({
      at: '2026-01-01T00:03:00.000Z',
      commit: 'abc1234',
      loadAverage: { before: 1.5, after: 1.5 },
    });
  });
});

describe('a file of results', () => {
  const file = join(folder, 'results.json');
  test('has what was measured on a quiet machine, however busy the bench made it', () => {
    writeResults(file, { ...time(1.5), figure: 1 });
    writeResults(file, { parts: { one: time(0), two: time(1.5) }, figure: 2 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      figure: 2,
      parts: { two: { commit: 'abc1234' } },
    });
  });
  test.each([
    [{ ...time(1.6), figure: 3 }, 'the bench was measured at a load average of 1.6, expected at most 1.5'],
    [{ parts: { one: time(0), two: time(2) } }, 'two was measured at a load average of 2.0'],
    [{ parts: { one: { ...time(0), commit: undefined } } }, 'one names no commit'],
  ])('is not written otherwise', (results, words) => {
    const before = readFileSync(file, 'utf8');
    expect(() => writeResults(file, results as never)).toThrow(words);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
  test('loses, beside a part that is measured again, those that say no commit or a high load', () => {
    expect([time(1.5), time(1.6), {}].map(unfit)).toEqual([
      undefined,
      expect.stringContaining('1.6'),
      'names no commit',
    ]);
  });
});
