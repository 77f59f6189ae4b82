/** What a text costs the thread that answers everyone, and the keeper. */
import { readFileSync } from 'node:fs';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { keeperOf } from '../kill/processes.ts';
import { ADMIN, type ServedProduct } from '../support/served-product.ts';

export interface Cost {
  /** CPU of this thread. */
  readonly ownMs: number;
  /** CPU of the keeper, in steps of 10 ms. */
  readonly keeperMs: number;
  /** What the caller was told. */
  readonly told: string;
}

const TIMEOUT_MS = 4_000;

export async function costOf({ product, project }: ServedProduct, sql: string): Promise<Cost> {
  // Once it has answered, there is a keeper.
  await submitStatement(product, ADMIN, {
    question: { kind: 'sql', sql: 'SELECT 1' },
    waitMs: 20_000,
    cache: false,
  });
  const keeper = keeperOf(project.folder);
  const before = cpuOf(keeper) ?? 0;
  const begun = process.threadCpuUsage();
  const told = await tell();
  const { user, system } = process.threadCpuUsage(begun);
  const after = cpuOf(keeper);
  return {
    ownMs: (user + system) / 1_000,
    keeperMs: after === undefined ? TIMEOUT_MS : (after - before) * 10,
    told: after === undefined ? `${told}, and the keeper was lost` : told,
  };

  async function tell(): Promise<string> {
    try {
      const answer = await submitStatement(product, ADMIN, {
        question: { kind: 'sql', sql },
        waitMs: 60_000,
        timeoutMs: TIMEOUT_MS,
        cache: false,
        rowLimit: 1,
      });
      if (!answer.ok)
        return answer.diagnostics
          .map(({ code, message }) => (code === 'query.too-complex' ? message : code))
          .join();
      return answer.statement.status === 'SUCCESS' ? 'answered' : String(answer.statement.error?.code);
    } catch (error) {
      return (error as { readonly code?: string }).code ?? String(error);
    }
  }
}

/** Undefined when it is gone. */
function cpuOf(pid: number): number | undefined {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15);
    return Number(user) + Number(system);
  } catch {
    return undefined;
  }
}
