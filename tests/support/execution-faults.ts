/** A world that can be hurt: calls of its ports are counted, delayed, failed, or all of them from one moment on, as when a process dies. */
import type { Engine } from '../../src/domain/engine.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import type { World } from '../../src/runtime/world.ts';

/** Thrown in the place of a killed process: no `finally` of the product may be relied on after it. */
export class Killed extends Error {
  constructor(at: string) {
    super(`killed after ${at}`);
  }
}

export type Port = 'engine' | 'session' | 'snapshots' | 'journal' | 'quality';

export interface Faults {
  /** Called before a call goes on; may wait or throw. */
  readonly before?: (port: Port, method: string) => void | Promise<void>;
  /** Called when a call has succeeded; may wait or throw in its place. */
  readonly after?: (port: Port, method: string) => void | Promise<void>;
}

/** The same world with faults in front of every call that changes or reads something. */
export function withFaults<Given extends World>(world: Given, faults: Faults): Given {
  const engine: Engine = {
    ...wrapped('engine', world.engine, faults),
    write: (fences, work, options) =>
      around('engine', 'write', faults, () =>
        world.engine.write(fences, (session) => work(wrapped('session', session, faults)), options),
      ),
  };
  const { state } = world;
  return {
    ...world,
    engine,
    state: {
      ...state,
      warehouseId: state.warehouseId,
      isEmpty: () => state.isEmpty(),
      snapshots: wrapped('snapshots', state.snapshots, faults),
      journal: wrapped('journal', state.journal, faults),
      quality: wrapped('quality', state.quality, faults),
    } satisfies StateStore,
  };
}

function wrapped<Part extends object>(port: Port, part: Part, faults: Faults): Part {
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(part))
    made[name] =
      typeof value === 'function' && name !== 'close'
        ? (...given: unknown[]) =>
            around(port, name, faults, () => value.apply(part, given) as Promise<unknown>)
        : value;
  return made as Part;
}

async function around<Result>(
  port: Port,
  method: string,
  { before, after }: Faults,
  call: () => Promise<Result>,
): Promise<Result> {
  await before?.(port, method);
  const result = await call();
  await after?.(port, method);
  return result;
}

/** Kills the process after its nth call that changes something; answers with the faults and the calls so far. */
export function killAfter(
  step: number,
  isCounted: (port: Port, method: string) => boolean,
): Faults & { readonly calls: string[] } {
  const calls: string[] = [];
  let isDead = false;
  const die = (): never => {
    throw new Killed(calls.at(-1) ?? 'nothing');
  };
  return {
    calls,
    before() {
      if (isDead) die();
    },
    after(port, method) {
      if (isDead) die();
      if (!isCounted(port, method)) return;
      calls.push(`${port}.${method}`);
      if (calls.length === step) {
        isDead = true;
        die();
      }
    },
  };
}

/** A door that calls stand at until it is opened. */
export function gate(): { readonly reached: Promise<void>; pass(): Promise<void>; open(): void } {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    async pass() {
      reached.resolve();
      await opened.promise;
    },
    open: () => opened.resolve(),
  };
}
