import type { SendOutcome } from '../../../domain/channel.ts';
import { SendProblem } from './send-problem.ts';

const TOTAL_MS = 15_000;

/** One attempt within its time; problems of the outside become outcomes, bugs stay errors. */
export async function attempt(
  { signal, totalMs = TOTAL_MS }: { readonly signal: AbortSignal; readonly totalMs?: number | undefined },
  work: (signal: AbortSignal) => Promise<SendOutcome>,
): Promise<SendOutcome> {
  const limit = AbortSignal.timeout(totalMs);
  try {
    return await work(AbortSignal.any([signal, limit]));
  } catch (error) {
    if (error instanceof SendProblem) return error.outcome;
    if (signal.aborted) return failed('the attempt was interrupted');
    if (limit.aborted) return failed(`there was no answer within ${totalMs / 1000} s`);
    throw error;
  }
}

const failed = (reason: string): SendOutcome => ({ kind: 'failed', reason, isPermanent: false });
