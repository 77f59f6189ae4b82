import type { DiagnosticCode } from './diagnostics/catalog.ts';
import { Failure } from './failure.ts';
import type { Run } from './run.ts';

/** Full disks, lost keepers and servers, files that others hold: the same work may succeed once the operator has fixed it. */
const CODES: ReadonlySet<string> = new Set<DiagnosticCode>([
  'engine.cannot-open',
  'engine.conflict',
  'engine.disk-full',
  'engine.held-elsewhere',
  'engine.keeper-differs',
  'engine.locked',
  'engine.lost',
  'environment.busy',
  'run.lease-lost',
  'state.cannot-connect',
  'state.connection-lost',
  'state.lease-lost',
  'state.locked',
  'state.read-only',
  'state.too-many-connections',
  'state.write-failed',
]);

/** Whether another try may help although nothing in the project changes. */
export function isTransient(error: unknown): boolean {
  return error instanceof Failure && (error.isRetryable || CODES.has(error.code));
}

/** Whether something in a run that failed was not the fault of its models. */
export function failedTransiently({ status, error, models }: Run): boolean {
  return (
    status === 'failed' &&
    [error, ...models.map((model) => model.error)].some((each) => CODES.has(each?.code ?? ''))
  );
}
