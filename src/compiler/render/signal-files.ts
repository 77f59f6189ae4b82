import type { Model } from '../../domain/model.ts';
import type { UserFunction } from '../../domain/user-code.ts';
import { addFiles } from './snapshot-content.ts';

/** The files of `signals/` that a model's signals come to, with what they import there: stored with its snapshot, so that runs need no folder. */
export function signalFiles(
  { signals }: Pick<Model, 'signals'>,
  functions: readonly UserFunction[],
  files: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name } of signals) {
    const own = functions.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (own !== undefined) addFiles(own, files, found);
  }
  return found;
}
