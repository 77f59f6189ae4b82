/** The short form: the list fits the code, and one defect of each mechanism is found; `node tests/defects/campaign.ts` plants all. */
import { expect, test } from 'vitest';
import type { Defect } from './defect.ts';
import { KNOWN_DEFECTS } from './known-defects.ts';
import { editProblem, plant } from './planted-copy.ts';

test('each defect can still be put back where it was', () => {
  expect(KNOWN_DEFECTS.flatMap(({ edits }) => edits.flatMap((edit) => editProblem(edit) ?? []))).toEqual([]);
  expect(new Set(KNOWN_DEFECTS.map(({ name }) => name)).size).toBe(KNOWN_DEFECTS.length);
});

const firstOfEach = new Map<string, Defect>();
for (const defect of KNOWN_DEFECTS)
  if (!firstOfEach.has(defect.mechanism.file)) firstOfEach.set(defect.mechanism.file, defect);

test.each([...firstOfEach.values()])(
  '$mechanism.file finds "$name"',
  async (defect) => {
    const { isFound, output } = await plant(defect);
    expect(isFound, output).toBe(true);
  },
  20 * 60_000,
);
