import { Failure } from '../../domain/failure.ts';
import type { RunContext } from './run-context.ts';

/** What the engine says about a query; everything else about engines concerns no model. */
const OF_A_QUERY = new Set([
  'engine.statement-failed',
  'engine.file-closed',
  'engine.type-mismatch',
  'engine.out-of-memory',
  'engine.answer-too-large',
]);

/**
 * The same error with the model it is about and where that is written; an error that is not about a model's own text stays
 * as it is. Offsets are those of the file as it was applied.
 */
export async function blameModel(
  { contents }: Pick<RunContext, 'contents'>,
  error: unknown,
  { model: name, fingerprint }: { readonly model: string; readonly fingerprint: string },
): Promise<unknown> {
  if (!(error instanceof Failure) || error.diagnostic.at !== undefined) return error;
  if (!error.code.startsWith('audit.') && !OF_A_QUERY.has(error.code)) return error;
  const isAudit = error.code === 'audit.failed' || error.code === 'audit.cannot-run';
  const { ranges } = (await contents.content(fingerprint)).model;
  const at = (isAudit ? ranges['audits'] : ranges['query']) ?? ranges['query'] ?? ranges['name'];
  const { message } = error.diagnostic;
  return new Failure(
    {
      ...error.diagnostic,
      message:
        OF_A_QUERY.has(error.code) && !message.startsWith(`${name}: `) ? `${name}: ${message}` : message,
      ...(at === undefined ? {} : { at }),
    },
    { cause: error.cause ?? error, isRetryable: error.isRetryable },
  );
}
