/** The short form: the list fits the code, and one defect of each topic is found; `node tests/defects/campaign.ts` plants all. */
import { expect, test } from 'vitest';
import { DEFECTS_BY_TOPIC, KNOWN_DEFECTS } from './known-defects.ts';
import { editProblem, plant } from './planted-copy.ts';

test('each defect can still be put back where it was', () => {
  expect(KNOWN_DEFECTS.flatMap(({ edits }) => edits.flatMap((edit) => editProblem(edit) ?? []))).toEqual([]);
  expect(new Set(KNOWN_DEFECTS.map(({ name }) => name)).size).toBe(KNOWN_DEFECTS.length);
});

const firstOfEach = Object.values(DEFECTS_BY_TOPIC).flatMap((defects) => defects.slice(0, 1));

test.each(firstOfEach)(
  '$mechanism.file finds "$name"',
  async (defect) => {
    const { isFound, output } = await plant(defect);
    expect(isFound, output).toBe(true);
  },
  20 * 60_000,
);
