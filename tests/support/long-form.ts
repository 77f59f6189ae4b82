/**
 * A campaign has two forms. The short one runs in CI: each mechanism, over a part of its cases that is the same each time. The long
 * one runs all: `npm run test:campaigns -- --long`, which sets PLINTH_CAMPAIGN=1.
 */
import { test } from 'vitest';

export const IS_LONG = process.env['PLINTH_CAMPAIGN'] === '1';

/** Every so-many-th case from the first on, and all of them in the long form. */
export function everyNth<Case>(cases: readonly Case[], every: number, first = 0): readonly Case[] {
  return IS_LONG ? cases : cases.filter((_, index) => index % every === first);
}

/** Declares tests of a suite that is described once per adapter. */
export interface DealtTest {
  (name: string, body: () => Promise<void>): void;
  each<Case extends readonly unknown[]>(
    cases: readonly Case[],
  ): (name: string, body: (...values: Case) => Promise<void>) => void;
}

/** Deals the tests of such a suite out to its adapters in turn, the one of this `hand` gets every so-many-th; in the long form each gets all. */
export function dealtTest(hand: number, hands: number): DealtTest {
  let next = 0;
  const isMine = (): boolean => IS_LONG || next++ % hands === hand;
  const declare = (name: string, body: () => Promise<void>): void => {
    if (isMine()) test(name, body);
  };
  return Object.assign(declare, {
    each: <Case extends readonly unknown[]>(cases: readonly Case[]) => {
      const mine = cases.filter(isMine);
      return (name: string, body: (...values: Case) => Promise<void>) =>
        test.each(mine)(name, (...values) => body(...(values as unknown as Case)));
    },
  });
}
