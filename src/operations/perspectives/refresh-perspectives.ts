/*
 * Perspectives with `auto_refresh` are asked again after a run has changed the data, so that a kept answer is there for the next reader.
 *
 *   asked as its owner, with its defaults     as any question of theirs: their policies, their limits, the queue of the product
 *   taken by a reader                         only when policies make the same question of it: an answer belongs to a question, not to a perspective
 *
 * One after the other, and at most so many: a product with thousands of perspectives goes on answering its callers. Where nothing that
 * one reads has changed, the kept answer is found and nothing is executed. What fails is a failed statement of the owner, as ever.
 */
import { fillPerspective } from '../../compiler/semantic/perspectives/fill-perspective.ts';
import { Failure } from '../../domain/failure.ts';
import { permits } from '../../domain/permissions.ts';
import type { Perspective } from '../../domain/perspective.ts';
import { submitStatement } from '../ask/submit-statement.ts';
import type { Platform, Product } from '../platform.ts';
import { ownerIdentity } from './owner-identity.ts';
import { tagsOf } from './tags-of.ts';

const REFRESHED_MAX = 200;
const WAIT_MS = 50_000;

/** What became of one: `kept` answers were still right, `left` ones cannot be asked by their owner now. */
export interface Refreshed {
  readonly id: string;
  readonly outcome: 'made' | 'kept' | 'failed' | 'left';
}

export async function refreshPerspectives(
  platform: Platform,
  product: Product,
  stop: AbortSignal,
): Promise<readonly Refreshed[]> {
  const { perspectives } = product.world.state;
  const found = await perspectives.everyPerspective({ isRefreshed: true, limit: REFRESHED_MAX });
  const done: Refreshed[] = [];
  for (const each of found) {
    if (stop.aborted) break;
    done.push({ id: each.id, outcome: await refreshed(platform, product, each) });
  }
  return done;
}

async function refreshed(
  platform: Platform,
  product: Product,
  perspective: Perspective,
): Promise<Refreshed['outcome']> {
  const filled = fillPerspective(perspective, {});
  const owner = await ownerIdentity(platform, product, perspective.owner.id);
  if (!filled.ok || owner === undefined || !permits(owner, 'query:read', product)) return 'left';
  try {
    const answer = await submitStatement(product, owner, {
      question: filled.question,
      tags: tagsOf(perspective),
      waitMs: WAIT_MS,
      timeoutMs: WAIT_MS,
      pageRows: 0,
    });
    if (!answer.ok) return 'left';
    if (answer.statement.status !== 'SUCCESS') return 'failed';
    return answer.statement.strategy === 'from_cache' ? 'kept' : 'made';
  } catch (error) {
    // Policies, or a full queue: the next reader asks for themselves.
    if (error instanceof Failure) return 'left';
    throw error;
  }
}
