/*
 * Runs checks, a model at a time:
 *
 *   packs of a model ─▶ queries (compiler/quality) ─▶ answers of one state of the data ─▶ outcomes ─▶ samples ─▶ state, in one transaction
 *
 * A model whose results are not recorded yet was not checked: a kill leaves no half of them, and the data versions in state say
 * what is still to be checked.
 */
import type { CheckEvent } from '../../domain/check-event.ts';
import type { CheckOutcome, CheckResult } from '../../domain/check-result.ts';
import type { DqPack } from '../../domain/dq-pack.ts';
import type { World } from '../world.ts';
import { type CheckedModels, type CheckRun, checkModel } from './check-model.ts';

export interface ChecksToRun extends CheckedModels {
  readonly run: CheckRun;
  readonly packs: readonly DqPack[];
  readonly signal?: AbortSignal;
}

/** How many checks ended in each way. */
export type CheckTally = Readonly<Record<CheckOutcome, number>>;

/** Yields what each model's checks found, and answers with how many ended how; a signal ends it between two queries. */
export async function* runChecks(
  world: World,
  { run, packs, signal, ...models }: ChecksToRun,
): AsyncGenerator<CheckEvent, CheckTally> {
  const byModel = Map.groupBy(packs, ({ model }) => model.value.toLowerCase());
  yield { event: 'checks.started', runId: run.id, models: byModel.size };
  const tally = { pass: 0, warn: 0, fail: 0, error: 0, not_evaluated: 0 };
  let first = 0;
  for (const group of byModel.values()) {
    if (signal?.aborted === true) break;
    const start = performance.now();
    const results = await checkModel(world, group, {
      run,
      first,
      ...models,
      ...(signal === undefined ? {} : { signal }),
    });
    first += results.length;
    const changed = await world.state.quality.recordResults(results, []);
    for (const { outcome } of results) tally[outcome]++;
    yield {
      event: 'model.checked',
      model: modelOf(results, group),
      results,
      ms: Math.round(performance.now() - start),
    };
    const own = new Set(results.map(({ id }) => id));
    for (const incident of changed)
      if (incident.closedAt !== undefined) yield { event: 'incident.closed', incident };
      else if (own.has(incident.openedBy)) yield { event: 'incident.opened', incident };
  }
  return tally;
}

const modelOf = (results: readonly CheckResult[], [pack]: readonly DqPack[]): string =>
  results[0]?.model ?? pack?.model.value ?? '';
