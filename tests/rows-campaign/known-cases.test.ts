/** Short lives that once went wrong, verified as the random ones are. PLINTH_ROWS_CASE, a part of a name, chooses some of them. */
import { expect, test } from 'vitest';
import { KNOWN_CASES } from './known-cases.ts';
import { play } from './play.ts';

const { PLINTH_ROWS_CASE: wanted = '' } = process.env;
const chosen = KNOWN_CASES.filter(({ name }) => name.includes(wanted));

test.each(chosen)('stays right: $name', async ({ case: given }) => {
  expect((await play(given)).problems).toEqual([]);
});
