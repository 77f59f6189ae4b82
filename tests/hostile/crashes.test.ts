/*
 * Texts that bring the engine down, beside callers who do nothing wrong: no statement of theirs fails or is refused, a build beside
 * them succeeds, and only whoever sent such a text hears of it. `PLINTH_CRASHES=100` is the long form.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { keeperOf } from '../kill/processes.ts';
import {
  draftProduct,
  ended,
  identityOf,
  type ServedProduct,
  servedProduct,
} from '../support/served-product.ts';

const CRASHES = Number(process.env['PLINTH_CRASHES'] ?? 2);
const NEIGHBOURS = 5;
/** What each question may take. */
const WAIT_MS = 15_000;
/** A text that brings the engine down is tried three times before it is blamed. */
const BLAME_WAIT_MS = 120_000;
/** Each one's text is another: the same one is refused after it was blamed. */
const crashing = (n: number): string =>
  `SELECT json_structure(repeat('[', ${1_000_000 + n}) || repeat(']', ${1_000_000 + n}))`;

let served: ServedProduct;
beforeAll(async () => {
  // The keeper inherits it: a text that the bounds of functions let through and that crashes the engine is not known.
  process.env['PLINTH_TEST_UNBOUNDED'] = '1';
  served = await servedProduct({
    'config.yaml': 'name: crashes\n',
    'models/m.sql': `MODEL (name s.m, kind FULL);\nSELECT i::INTEGER AS i FROM range(1000) AS r(i)`,
    'models/slow.sql': `MODEL (name s.slow, kind FULL);\nSELECT sum(a.i * b.i)::BIGINT AS n FROM s.m AS a, s.m AS b, range(20) AS c`,
  });
});
afterAll(async () => {
  delete process.env['PLINTH_TEST_UNBOUNDED'];
  await served.close();
});

const caller = (name: string) =>
  identityOf({ principalId: `u_${name}`, name, productRoles: { crashes: 'owner' }, isPlatformAdmin: true });

async function ask(name: string, sql: string, waitMs = WAIT_MS): Promise<string> {
  const question = { kind: 'sql', sql } as const;
  const answer = await submitStatement(served.product, caller(name), {
    question,
    waitMs,
    cache: false,
  });
  if (!answer.ok) return JSON.stringify(answer);
  const { status, error } = answer.statement;
  return status === 'SUCCESS' ? (answer.page?.rows ?? 'no rows') : `${status} ${error?.code ?? ''}`;
}

test(
  'texts that crash the engine cost others nothing but a moment',
  async () => {
    let isOver = false;
    const wrong: string[] = [];
    const keepers = new Set<number>();
    let asked = 0;
    const neighbours = Array.from({ length: NEIGHBOURS }, async (_, at) => {
      for (let n = 0; !isOver; n++) {
        const said = await ask(`good${at}`, `SELECT max(i) + ${at} + ${n} AS n FROM s.m`);
        asked++;
        if (said !== `[[${999 + at + n}]]`) wrong.push(said);
        await sleep(20);
      }
    });
    const build = (async () => {
      while (!isOver) {
        const { plan } = await draftProduct(served.product, { options: { restateModels: ['s.slow'] } });
        if (plan === undefined) throw new Error('no plan');
        const { status, error } = await ended(apply(served.product.world, plan, { who: 'a test' }));
        if (status !== 'succeeded') wrong.push(`the build: ${status} ${JSON.stringify(error)}`);
      }
    })();
    // Three blames suspend a caller, so there are many.
    const told: string[] = [];
    for (let n = 0; n < CRASHES; n++) {
      // Once it has answered, there is an engine.
      await ask('calm', `SELECT ${n} AS n`);
      keepers.add(keeperOf(served.project.folder));
      told.push(await ask(`bad${n}`, crashing(n), BLAME_WAIT_MS));
    }
    isOver = true;
    await Promise.all([...neighbours, build]);
    expect(new Set(told)).toEqual(new Set(['FAILED statement.out-of-resources']));
    expect(wrong).toEqual([]);
    expect(keepers.size).toBe(CRASHES);
    expect(asked).toBeGreaterThan(NEIGHBOURS);
  },
  Math.max(600_000, CRASHES * 60_000),
);
