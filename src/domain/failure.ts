import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { type DiagnosticCode, diagnostic } from './diagnostics/catalog.ts';

/** Something outside the author's files is wrong: engine down, permission denied, conflict, disk full. Thrown, coded, with its cause. */
export class Failure extends Error {
  readonly diagnostic: Diagnostic;
  readonly isRetryable: boolean;

  constructor(what: Diagnostic, options: { readonly cause?: unknown; readonly isRetryable?: boolean } = {}) {
    super(what.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.diagnostic = what;
    this.isRetryable = options.isRetryable ?? false;
  }

  get code(): DiagnosticCode {
    return this.diagnostic.code as DiagnosticCode;
  }
}

/** Makes a failure with the catalog's words; same parameters as `diagnostic`. */
export function failure<Code extends DiagnosticCode>(
  code: Code,
  parameters: Parameters<typeof diagnostic<Code>>[1],
  options: { readonly cause?: unknown; readonly isRetryable?: boolean; readonly hint?: string } = {},
): Failure {
  return new Failure(diagnostic(code, parameters, { hint: options.hint }), options);
}
