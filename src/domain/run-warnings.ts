import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { diagnostic } from './diagnostics/catalog.ts';
import type { Run } from './run.ts';

/** What people should know about a run that did not stop it. */
export function runWarnings({ models }: Run): readonly Diagnostic[] {
  return models.flatMap(({ name, rowsOutside = 0 }) =>
    rowsOutside === 0
      ? []
      : [
          diagnostic('run.rows-outside', {
            model: name,
            rows: rowsOutside === 1 ? '1 row' : `${rowsOutside} rows`,
          }),
        ],
  );
}
