import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tableKey } from '../../../domain/relation.ts';
import { normalizeRanges, type RangeSet, totalLength } from '../../../foundation/time/ranges.ts';
import {
  addLedgerRows,
  addRestatement,
  readDataVersions,
  readIntervals,
  readRestatements,
  setFromLedger,
} from '../sql/interval-operations.ts';
import { grantLeases, releaseLeases, tableLease } from '../sql/lease-operations.ts';
import type { Steps } from '../sql/state-sql.ts';
import { rangesOf } from '../sql/stored-ranges.ts';
import { drive, openDatabase, type StateDatabase } from './database.ts';

let folder = '';
let database: StateDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-intervals-'));
  database = openDatabase({ file: join(folder, 'state.db') });
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const does = <Result>(steps: Steps<Result>): Result => drive(steps);

const HOURS = 24;
const table = { model: 'a.one', version: 'v' };
const lease = tableLease(tableKey(table));

type Step =
  | { readonly kind: 'fill'; readonly hours: readonly [number, number]; readonly isTold: boolean }
  | { readonly kind: 'restate'; readonly hours: readonly [number, number] }
  | { readonly kind: 'next-holder' }
  | { readonly kind: 'reconcile' };

const hours = fc
  .tuple(fc.integer({ min: 0, max: HOURS - 1 }), fc.integer({ min: 1, max: 8 }))
  .map(([start, length]): readonly [number, number] => [start, Math.min(HOURS, start + length)]);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('fill' as const), hours, isTold: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restate' as const), hours }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'next-holder' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reconcile' as const }) },
);

/** What is filled, hour by hour, computed from the ledger alone: an hour counts unless it waits for a later token. */
interface Ledger {
  readonly rows: {
    readonly hours: readonly [number, number];
    readonly token: number;
    readonly dataVersion: string;
  }[];
  /** By hour: the token after which it has to be filled again. */
  readonly waiting: Map<number, number>;
}

test('however fills, restatements, lost tellings and reconciliations mix, an hour is filled when the ledger says so', () => {
  let number = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      for (const name of ['intervals', 'restatements', 'leases', 'lost_leases'])
        database.execute(`DELETE FROM ${name}`);
      const ledger: Ledger = { rows: [], waiting: new Map() };
      let token = 0;
      const reconcile = (): void => {
        const [restatement] = does(readRestatements(database.state));
        const since = restatement?.sinceToken ?? Number.POSITIVE_INFINITY;
        does(
          setFromLedger(database.state, {
            table,
            filled: rangesOfRows(ledger.rows),
            filledSince: rangesOfRows(ledger.rows.filter((row) => row.token > since)),
            dataVersion: versionOf(ledger.rows.map(({ dataVersion }) => dataVersion)),
          }),
        );
      };
      for (const each of steps) {
        if (each.kind === 'next-holder') {
          does(releaseLeases(database.state, `run-${token}`, [lease]));
          const request = { names: [lease], holder: `run-${token + 1}`, who: 'x', now: 1 };
          expect(does(grantLeases(database.state, request))).toMatchObject({
            leases: [{ token: token + 1 }],
          });
          token++;
        } else if (each.kind === 'restate') {
          does(addRestatement(database.state, 'plan', { table, ranges: [rangeOf(each.hours)] }));
          // Restatements of one table wait together, for a holder later than that of the last one.
          for (let hour = each.hours[0]; hour < each.hours[1]; hour++) ledger.waiting.set(hour, token);
          for (const hour of ledger.waiting.keys()) ledger.waiting.set(hour, token);
        } else if (each.kind === 'fill') {
          const row = { hours: each.hours, token, dataVersion: String(++number) };
          ledger.rows.push(row);
          for (let hour = row.hours[0]; hour < row.hours[1]; hour++) {
            if (token > (ledger.waiting.get(hour) ?? Number.POSITIVE_INFINITY)) ledger.waiting.delete(hour);
          }
          const telling = { ...row, table, range: rangeOf(row.hours), runId: 'r' };
          if (each.isTold) does(addLedgerRows(database.state, [telling, telling]));
          // A telling that is lost is made good before anything else looks.
          else reconcile();
        } else reconcile();
      }
      reconcile();
      const filled = JSON.parse(does(readIntervals(database.state, undefined))) as Record<string, number[]>;
      const found = rangesOf(filled[tableKey(table)] ?? []);
      const expected = normalizeRanges(
        Array.from({ length: HOURS }, (_, hour) => hour)
          .filter((hour) => !ledger.waiting.has(hour))
          .filter((hour) => ledger.rows.some((row) => row.hours[0] <= hour && hour < row.hours[1]))
          .map((hour) => rangeOf([hour, hour + 1])),
      );
      expect(found).toEqual(expected);
      const [entry] = does(readDataVersions(database.state, [tableKey(table)]));
      expect(entry?.[1]).toBe(
        ledger.rows.length === 0 ? undefined : versionOf(ledger.rows.map(({ dataVersion }) => dataVersion)),
      );
      expect(totalLength(does(readRestatements(database.state))[0]?.ranges ?? [])).toBe(ledger.waiting.size);
    }),
    { numRuns: 150, seed: 20261116 },
  );
});

function rangeOf([start, end]: readonly [number, number]): { readonly start: number; readonly end: number } {
  return { start, end };
}

function rangesOfRows(rows: Ledger['rows']): RangeSet {
  return normalizeRanges(rows.map((row) => rangeOf(row.hours)));
}

function versionOf(dataVersions: readonly string[]): string {
  return `${dataVersions.length}:${dataVersions.reduce((sum, each) => sum ^ BigInt(each), 0n)}`;
}
