/** Changes that two openings of one state are asked for at the same time, again and again. */
import { describe, expect, test } from 'vitest';
import type { StateStoreUnderTest } from './state-store.ts';
import { day, ledgerRow, planOf, runOf, stageOf } from './state-store-fixtures.ts';

const ROUNDS = 20;
const CHANGES = 100;

export function describeStateStorm(name: string, store: StateStoreUnderTest): void {
  describe(name, () => {
    test(`of ${ROUNDS} times ${CHANGES} changes at once none is refused for a race, and none is lost`, async () => {
      const place = store.newPlace();
      const openings = [await store.open(place), await store.open(place)] as const;
      const told = new Map<string, number>();
      const count = (answer: string): void => void told.set(answer, (told.get(answer) ?? 0) + 1);
      try {
        for (let round = 0; round < ROUNDS; round++)
          await Promise.all(
            Array.from({ length: CHANGES }, async (_, index) => {
              const { snapshots, journal } = openings[index % 2] as (typeof openings)[0];
              const at = round * CHANGES + index;
              const changed =
                index % 10 === 3
                  ? snapshots.beginPlan(planOf([], { basePromotionId: 'gone' }), runOf(`r${at}`), [])
                  : journal.finishBackfill('none', {
                      rows: [ledgerRow('a.one', day(index), { token: 1, dataVersion: String(at + 1) })],
                      events: [{ at, event: 'model.built', data: stageOf('a.one') }],
                    });
              await changed.then(
                () => count('done'),
                (error: { readonly code?: string }) => count(error.code ?? String(error)),
              );
            }),
          );
        expect(Object.fromEntries(told)).toEqual({
          done: ROUNDS * CHANGES * 0.9,
          'environment.moved': ROUNDS * CHANGES * 0.1,
        });
        expect(await openings[0].events.events({ limit: ROUNDS * CHANGES })).toHaveLength(
          ROUNDS * CHANGES * 0.9,
        );
      } finally {
        for (const one of openings) await one.close();
      }
    });
  });
}
