import type { AuditResult, Run } from '../../domain/run.ts';
import { runs } from '../change/runs.ts';
import type { OpenedWorldReader } from '../open-world.ts';

export interface LastAudit {
  readonly result: AuditResult;
  readonly run: Run;
}

/** So many runs are looked through. */
const RUNS_MAX = 200;

/** What became of each audit in the last runs of an environment, by its model and name. */
export async function lastAuditResults(
  world: OpenedWorldReader,
  environment: string,
): Promise<(model: string, audit: string) => LastAudit | undefined> {
  const found = new Map<string, LastAudit>();
  for (const run of await runs(world, { environment, limit: RUNS_MAX }))
    for (const { name, audits } of run.models)
      for (const result of audits) {
        const key = `${name}\0${result.name}`;
        if (!found.has(key)) found.set(key, { result, run });
      }
  return (model, audit) => found.get(`${model}\0${audit}`);
}
