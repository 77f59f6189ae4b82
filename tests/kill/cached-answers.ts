import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/domain/engine.ts';
import { Failure } from '../../src/domain/failure.ts';
import { closeStatements } from '../../src/operations/ask/close-statements.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import type { Product } from '../../src/operations/platform.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { ADMIN } from '../support/served-product.ts';
import { COMPARED } from './kill-project.ts';

// A server beside the work that is disturbed: it is asked the same questions again and again, and keeps its answers. Nobody
// writes once the disturbance is over, so a kept answer must then be what a fresh one is, and what the warehouse has.

/** One for each table, with a sum over all its cells. */
const QUESTIONS: readonly string[] = COMPARED.map(
  (table) => `SELECT count(*) AS n, sum(hash(CAST(t AS VARCHAR)))::VARCHAR AS cells FROM ${table} AS t`,
);

const WAIT_MS = 30_000;

export interface CachedAsker {
  /** Asks every question from the cache and anew, while nobody writes; answers with how they differ. */
  compare(engine: Engine): Promise<readonly string[]>;
  /** Answers that were compared, and how many of them came out of the cache. */
  readonly compared: { readonly all: number; readonly kept: number };
  stop(): Promise<void>;
}

/** Begins to ask; until the first promotion there is nothing to be asked. */
export async function startCachedAsker(folder: string): Promise<CachedAsker> {
  const platform = await openPlatform({ folders: [folder], variables: {}, executionTime: Date.now() });
  const [product] = platform.products;
  if (product === undefined) throw new Error('nothing is served');
  let isAsking = true;
  let isOver = false;
  const compared = { all: 0, kept: 0 };

  async function lane(): Promise<void> {
    for (let at = 0; !isOver; at++) {
      if (isAsking) await answerOf(product as Product, QUESTIONS[at % QUESTIONS.length] ?? '', true);
      await sleep(5);
    }
  }

  const asking = lane();
  // Told by `stop`.
  asking.catch(() => {});
  return {
    compared,
    async compare(engine) {
      isAsking = false;
      const problems: string[] = [];
      for (const sql of QUESTIONS) {
        const kept = await answerOf(product, sql, true);
        const fresh = await answerOf(product, sql, false);
        if (kept === undefined || fresh === undefined) continue;
        const { rows } = await engine.query(sql);
        compared.all++;
        if (kept.strategy === 'from_cache') compared.kept++;
        const there = JSON.stringify(rows.map((row) => row.map(String)));
        for (const { strategy, cells } of [kept, fresh])
          if (cells !== there)
            problems.push(`${strategy} answers ${cells}, the warehouse has ${there}: ${sql}`);
      }
      isAsking = true;
      return problems;
    },
    async stop() {
      isOver = true;
      await asking;
      await closeStatements(product);
      await platform.close();
    },
  };
}

/** Undefined when there is no answer: no environment yet, or no engine at the moment. */
async function answerOf(
  product: Product,
  sql: string,
  cache: boolean,
): Promise<{ readonly strategy: string; readonly cells: string } | undefined> {
  try {
    const question = { kind: 'sql', sql } as const;
    const answer = await submitStatement(product, ADMIN, { question, cache, waitMs: WAIT_MS });
    if (!answer.ok || answer.page === undefined) return undefined;
    const rows = JSON.parse(answer.page.rows) as readonly (readonly unknown[])[];
    return {
      strategy: answer.statement.strategy,
      cells: JSON.stringify(rows.map((row) => row.map(String))),
    };
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
