/*
 * Walks the graph of stages: whatever has all it needs may begin, at most so many side by side, in the order of the
 * list. A failed stage takes everything that needs it with it; the rest goes on.
 *
 *   a ─▶ b ─▶ d          b fails: d is skipped because of b, c goes on
 *   └──▶ c
 */
import type { Stage } from '../../domain/plan.ts';

export interface StageSchedule {
  readonly maxParallel: number;
  /** Asked before each stage: true begins nothing more. */
  readonly isStopped: () => boolean;
  /** A rejection means that the stage failed; it must have been reported already. `ready` comes next. */
  readonly execute: (stage: Stage, ready: readonly Stage[]) => Promise<void>;
  readonly skip: (stage: Stage, because: Stage) => void;
}

/** Answers with the stages that were never begun because the schedule was stopped. */
export async function scheduleStages(
  stages: readonly Stage[],
  { maxParallel, isStopped, execute, skip }: StageSchedule,
): Promise<readonly Stage[]> {
  const byId = new Map(stages.map((stage) => [stage.id, stage]));
  const dependents = new Map<string, Stage[]>();
  const missing = new Map<string, number>();
  for (const stage of stages) {
    const needs = new Set(stage.needs);
    missing.set(stage.id, needs.size);
    for (const need of needs) {
      if (!byId.has(need)) throw new Error(`stage ${stage.id} needs ${need}, which is not in the list`);
      const list = dependents.get(need);
      if (list === undefined) dependents.set(need, [stage]);
      else list.push(stage);
    }
  }
  const ready = stages.filter(({ id }) => missing.get(id) === 0);
  const left = new Set(stages.map(({ id }) => id));
  const running = new Set<Promise<void>>();

  function skipAfter(failed: Stage): void {
    const queue = [...(dependents.get(failed.id) ?? [])];
    for (let stage = queue.shift(); stage !== undefined; stage = queue.shift()) {
      if (!left.delete(stage.id)) continue;
      skip(stage, failed);
      queue.push(...(dependents.get(stage.id) ?? []));
    }
  }

  function begin(stage: Stage): void {
    left.delete(stage.id);
    const work: Promise<void> = execute(stage, ready)
      .then(
        () => {
          for (const dependent of dependents.get(stage.id) ?? []) {
            const rest = (missing.get(dependent.id) ?? 0) - 1;
            missing.set(dependent.id, rest);
            if (rest === 0 && left.has(dependent.id)) ready.push(dependent);
          }
        },
        () => skipAfter(stage),
      )
      .finally(() => running.delete(work));
    running.add(work);
  }

  for (;;) {
    while (running.size < Math.max(1, maxParallel) && ready.length > 0 && !isStopped())
      begin(ready.shift() as Stage);
    if (running.size === 0) break;
    await Promise.race(running);
  }
  const rest = stages.filter(({ id }) => left.has(id));
  if (rest.length > 0 && !isStopped())
    throw new Error(`stages need each other in a circle: ${rest.map(({ id }) => id).join(', ')}`);
  return rest;
}
