/*
 * Walks the graph of stages: whatever has all it needs may begin, at most so many side by side, in the order of the
 * list. A failed stage takes everything that needs it with it; the rest goes on.
 *
 *   a ─▶ b ─▶ d          b fails: d is skipped because of b, c goes on
 *   └──▶ c
 */
import type { Stage } from '../../domain/plan.ts';

/** What comes next: a stage that may begin, or one that never will because of one that failed. */
export type ScheduleStep =
  | { readonly kind: 'begin'; readonly stage: Stage }
  | { readonly kind: 'skip'; readonly stage: Stage; readonly because: Stage };

/** Asked for one step after the other, and told which work was begun: it calls nothing. */
export class StageSchedule {
  readonly #stages: readonly Stage[];
  readonly #maxParallel: number;
  readonly #dependents = new Map<string, Stage[]>();
  /** How many stages each still waits for. */
  readonly #missing = new Map<string, number>();
  readonly #ready: Stage[];
  readonly #skipped: { readonly stage: Stage; readonly because: Stage }[] = [];
  readonly #left: Set<string>;
  #running = 0;
  #changed = Promise.withResolvers<void>();

  constructor(stages: readonly Stage[], maxParallel: number) {
    this.#stages = stages;
    this.#maxParallel = Math.max(1, maxParallel);
    const byId = new Map(stages.map((stage) => [stage.id, stage]));
    for (const stage of stages) {
      const needs = new Set(stage.needs);
      this.#missing.set(stage.id, needs.size);
      for (const need of needs) {
        if (!byId.has(need)) throw new Error(`stage ${stage.id} needs ${need}, which is not in the list`);
        const list = this.#dependents.get(need);
        if (list === undefined) this.#dependents.set(need, [stage]);
        else list.push(stage);
      }
    }
    this.#ready = stages.filter(({ id }) => this.#missing.get(id) === 0);
    this.#left = new Set(stages.map(({ id }) => id));
  }

  /** Those that may begin now; the next one is first. */
  get ready(): readonly Stage[] {
    return this.#ready;
  }

  /** Waits until there is a next step. Undefined when all that was begun has ended, and nothing more can begin or `isStopped` says that nothing shall. */
  async next(isStopped: () => boolean): Promise<ScheduleStep | undefined> {
    for (;;) {
      this.#changed = Promise.withResolvers();
      const skipped = this.#skipped.shift();
      if (skipped !== undefined) return { kind: 'skip', ...skipped };
      const hasPlace = this.#running < this.#maxParallel && !isStopped();
      const stage = hasPlace ? this.#ready.shift() : undefined;
      if (stage !== undefined) return { kind: 'begin', stage };
      if (this.#running === 0) break;
      await this.#changed.promise;
    }
    const { rest } = this;
    if (rest.length > 0 && !isStopped())
      throw new Error(`stages need each other in a circle: ${rest.map(({ id }) => id).join(', ')}`);
    return undefined;
  }

  /** The work of a stage; a rejection means that it failed, and must have been reported already. */
  begin(stage: Stage, work: Promise<void>): void {
    this.#left.delete(stage.id);
    this.#running++;
    void work
      .then(
        () => this.#free(stage),
        () => this.#skipAfter(stage),
      )
      .finally(() => {
        this.#running--;
        this.#changed.resolve();
      });
  }

  /** What was never begun and not skipped. */
  get rest(): readonly Stage[] {
    return this.#stages.filter(({ id }) => this.#left.has(id));
  }

  #free({ id }: Stage): void {
    for (const dependent of this.#dependents.get(id) ?? []) {
      const missing = (this.#missing.get(dependent.id) ?? 0) - 1;
      this.#missing.set(dependent.id, missing);
      if (missing === 0 && this.#left.has(dependent.id)) this.#ready.push(dependent);
    }
  }

  #skipAfter(failed: Stage): void {
    const queue = [...(this.#dependents.get(failed.id) ?? [])];
    for (let stage = queue.shift(); stage !== undefined; stage = queue.shift()) {
      if (!this.#left.delete(stage.id)) continue;
      this.#skipped.push({ stage, because: failed });
      queue.push(...(this.#dependents.get(stage.id) ?? []));
    }
  }
}
