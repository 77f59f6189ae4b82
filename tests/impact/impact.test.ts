/**
 * Impact is sound: whatever answer of a metric or a perspective an edit of a random project changes, the impact has listed; what it calls
 * untouched answers as before. PLINTH_CAMPAIGN=1 lives longer; PLINTH_IMPACT_SEED begins elsewhere.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { life, type Tally } from './life.ts';

const { PLINTH_CAMPAIGN: isLong, PLINTH_IMPACT_SEED: from = '1', PLINTH_IMPACT_LIVES: count } = process.env;
const LIVES = Number(count ?? (isLong === '1' ? 1_500 : 25));

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

test(
  'whatever answers otherwise after an edit was listed, and what was called untouched answers as before',
  async () => {
    const sum: Tally & { lives: number } = { listed: 0, changed: 0, untouched: 0, lives: 0 };
    const problems: string[] = [];
    for (let seed = Number(from); seed < Number(from) + LIVES && problems.length === 0; seed++) {
      const found = await life(connection, seed);
      if (found === undefined) continue;
      sum.lives += 1;
      for (const key of ['listed', 'changed', 'untouched'] as const) sum[key] += found.tally[key];
      problems.push(
        ...found.problems.map((text) => `PLINTH_IMPACT_SEED=${seed}, ${found.edits.join('; ')}: ${text}`),
      );
    }
    console.log(
      `${sum.lives} projects: ${sum.listed} metrics and perspectives listed, ${sum.changed} of them answer otherwise; ${sum.untouched} proven untouched`,
    );
    expect(problems).toEqual([]);
    expect(sum.lives).toBeGreaterThan(LIVES * 0.6);
    // A list of everything would be sound, too. Of what may answer otherwise a third does, with the few rows that there are.
    expect(sum.changed / sum.listed).toBeGreaterThan(0.25);
    expect(sum.untouched).toBeGreaterThan(sum.listed * 2);
  },
  isLong === '1' ? 3_600_000 : 120_000,
);
