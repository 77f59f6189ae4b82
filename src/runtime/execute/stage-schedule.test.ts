import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Stage } from '../../domain/plan.ts';
import { StageSchedule } from './stage-schedule.ts';

const stage = (id: string, needs: readonly string[] = []): Stage => ({
  id,
  needs,
  kind: 'statements',
  when: 'before-all',
  statements: [],
});

interface Walk {
  readonly begun: string[];
  readonly ended: string[];
  readonly skipped: string[];
  readonly most: number;
  readonly rest: readonly string[];
}

async function walk(
  stages: readonly Stage[],
  { failing = [], maxParallel = 2, stopAfter = Number.POSITIVE_INFINITY } = {} as {
    failing?: readonly string[];
    maxParallel?: number;
    stopAfter?: number;
  },
): Promise<Walk> {
  const [begun, ended, skipped]: [string[], string[], string[]] = [[], [], []];
  let running = 0;
  let most = 0;
  const schedule = new StageSchedule(stages, maxParallel);
  const execute = async ({ id }: Stage): Promise<void> => {
    begun.push(id);
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (failing.includes(id)) throw new Error(id);
    ended.push(id);
  };
  for (;;) {
    const next = await schedule.next(() => begun.length >= stopAfter);
    if (next === undefined) break;
    if (next.kind === 'skip') skipped.push(`${next.stage.id}<${next.because.id}`);
    else schedule.begin(next.stage, execute(next.stage));
  }
  const { rest } = schedule;
  return { begun, ended, skipped, most, rest: rest.map(({ id }) => id) };
}

/** Graphs whose stages need only earlier ones. */
const graphs = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 25 })
  .map((lists) =>
    lists.map((list, index) =>
      stage(`s${index}`, index === 0 ? [] : [...new Set(list.map((n) => `s${n % index}`))]),
    ),
  );

test('every stage runs once, after all it needs, and never more than allowed side by side', () =>
  fc.assert(
    fc.asyncProperty(graphs, fc.integer({ min: 1, max: 5 }), async (stages, maxParallel) => {
      const { begun, ended, most, skipped, rest } = await walk(stages, { maxParallel });
      expect([...begun].sort()).toEqual(stages.map(({ id }) => id).sort());
      expect(most).toBeLessThanOrEqual(maxParallel);
      expect([...skipped, ...rest]).toEqual([]);
      for (const { id, needs } of stages)
        for (const need of needs) expect(ended.indexOf(need)).toBeLessThan(ended.indexOf(id));
    }),
    { numRuns: 60 },
  ));

test('what needs a failed stage is skipped because of it, everything else runs', () =>
  fc.assert(
    fc.asyncProperty(graphs, fc.array(fc.nat({ max: 24 }), { maxLength: 3 }), async (stages, picks) => {
      const failing = picks.map((n) => `s${n}`);
      const { begun, skipped } = await walk(stages, { failing });
      const doomed = new Set<string>();
      for (const { id, needs } of stages)
        if (needs.some((need) => doomed.has(need) || failing.includes(need))) doomed.add(id);
      expect(new Set(skipped.map((text) => text.split('<')[0]))).toEqual(doomed);
      expect(begun.length + doomed.size).toBe(stages.length);
      for (const text of skipped) expect(failing).toContain(text.split('<')[1]);
    }),
    { numRuns: 60 },
  ));

test('after a stop nothing new begins and the rest is named', async () => {
  const stages = [stage('a'), stage('b', ['a']), stage('c', ['b'])];
  const { begun, rest } = await walk(stages, { stopAfter: 1 });
  expect(begun).toEqual(['a']);
  expect(rest).toEqual(['b', 'c']);
});

test('a stage that needs one that is not there is a bug', async () => {
  await expect(walk([stage('a', ['x'])])).rejects.toThrow('needs x');
});

test('stages that wait for each other are a bug, not a quiet success', async () => {
  await expect(walk([stage('a', ['b']), stage('b', ['a'])])).rejects.toThrow('circle');
});
