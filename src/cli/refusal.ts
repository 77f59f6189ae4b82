import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import type { CommandAnswer } from './command.ts';

/** The answer of a command that could not do its work because of errors in the files: the first is its error, the others stand beside it. */
export function refusal(
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string, string> = new Map(),
): CommandAnswer {
  const error = diagnostics.find(({ severity }) => severity === 'error');
  if (error === undefined) throw new Error('nothing is wrong, so nothing can be refused');
  return { error, diagnostics: diagnostics.filter((each) => each !== error), sources };
}
