import { Failure, failure } from '../../domain/failure.ts';
import type { Product } from '../platform.ts';
import { type FolderAnswer, type FolderWork, servedFolder } from './served-folder.ts';

/** Work of one product that compiles its folder is done one after the other; more than so many do not wait. */
const WAITING_MAX = 8;

/** What lint or the tests find in the files as they are now, each time in a process of its own, which ends with it or when the caller has disconnected. */
export async function lookAtFolder(
  product: Product,
  kind: FolderWork['kind'],
  signal: AbortSignal,
): Promise<Extract<FolderAnswer, { kind: 'looked' | 'refused' }>> {
  const { ongoing, workspace } = product;
  const { plans } = ongoing;
  if (plans.length >= WAITING_MAX) throw failure('activity.too-many-plans', { count: plans.length });
  const work: FolderWork = { ...servedFolder(product), kind };
  const found = await plans.run(() =>
    workspace.askProcess('operations/serve/folder-worker', work, { folder: work.folder, signal }),
  );
  if ('lastWords' in found) throw new Error(`the process that looks at the folder: ${found.lastWords}`);
  const answer = found.answer as FolderAnswer;
  if (answer.kind === 'failed') throw new Failure(answer.diagnostic);
  if (answer.kind === 'bug') throw new Error(`the process that looks at the folder: ${answer.detail}`);
  return answer;
}
