/*
 * Room for results of one product. What is being written claims its bytes before they are on the disk; when they do not fit, the
 * oldest results go: the principal's own first, then those of all. Readers that have such a file open read it to its end.
 */
import type { Clock } from '../../domain/clock.ts';
import { failure } from '../../domain/failure.ts';
import type { ResultStore } from '../../domain/result-store.ts';
import type { StatementLimits } from '../../domain/server-limits.ts';
import type { StatementStore } from '../../domain/state-store.ts';
import type { Execution } from '../../domain/statement.ts';

/** Bytes are claimed ahead, so that the store is not asked for every piece. */
const STEP_MAX = 8_388_608;
/** The part of a share that is claimed ahead, or that small results fill before the store is asked. */
const STEPS = 16;

interface RoomPorts {
  readonly statements: Pick<StatementStore, 'makeRoom'>;
  readonly results: Pick<ResultStore, 'remove'>;
  readonly clock: Clock;
  readonly limits: StatementLimits;
}

type Writer = Pick<Execution, 'id' | 'principalId'>;

export class ResultRoom {
  readonly #ports: RoomPorts;
  readonly #writing = new Map<string, { readonly principalId: string; readonly bytes: number }>();
  readonly #small = new Map<string, number>();
  readonly #step: number;

  constructor(ports: RoomPorts) {
    this.#ports = ports;
    this.#step = Math.min(STEP_MAX, Math.floor(resultBytesMax(ports.limits) / STEPS));
  }

  /** A result has come to so many bytes. Throws `statement.out-of-resources` when there is no room for them. */
  async claim({ id, principalId }: Writer, bytes: number): Promise<void> {
    const before = this.#writing.get(id);
    if (before !== undefined && bytes <= before.bytes) return;
    for (const wanted of [Math.min(bytes + this.#step, resultBytesMax(this.#ports.limits)), bytes]) {
      this.#writing.set(id, { principalId, bytes: wanted });
      if (await this.look(principalId)) return;
    }
    throw failure(
      'statement.out-of-resources',
      { detail: 'results that are being written take all the room for results' },
      { hint: 'ask again when they are written' },
    );
  }

  /** The result is kept, or given up. */
  release({ id }: Writer): void {
    this.#writing.delete(id);
  }

  /** A small result is kept, for which nothing was claimed. True: it is time to look. */
  add({ principalId }: Writer, bytes: number): boolean {
    const sum = (this.#small.get(principalId) ?? 0) + bytes;
    this.#small.set(principalId, sum);
    return sum > this.#step;
  }

  /** Drops what is too much; false when what is being written does not fit. */
  async look(principalId: string): Promise<boolean> {
    const { statements, results, limits, clock } = this.#ports;
    this.#small.delete(principalId);
    const writing = [...this.#writing.values()];
    const sum = (some: typeof writing): number => some.reduce((total, { bytes }) => total + bytes, 0);
    const { names, isEnough } = await statements.makeRoom({
      principalId,
      own: {
        writing: sum(writing.filter((each) => each.principalId === principalId)),
        max: limits.resultsBytesMaxEach,
      },
      all: { writing: sum(writing), max: limits.resultsBytesMax },
      now: clock.now(),
    });
    await results.remove(names);
    return isEnough;
  }
}

/** The most that one result may have. */
export function resultBytesMax(limits: StatementLimits): number {
  return Math.min(limits.resultBytesMax, limits.resultsBytesMax, limits.resultsBytesMaxEach);
}
