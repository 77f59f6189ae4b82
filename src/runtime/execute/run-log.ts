import type { NewEvent } from '../../domain/event.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { hiddenEvent, hiddenRun } from '../../domain/secret-values.ts';
import type { World } from '../world.ts';
import { isLogged, loggedEvent } from './event-log.ts';

/** The events of one run, without secrets: shown at once, and kept until the next change of state takes them along. */
export class RunLog {
  readonly #world: World;
  readonly #run: Run;
  readonly #push: (event: RunEvent) => void;
  #events: NewEvent[] = [];

  constructor(world: World, run: Run, push: (event: RunEvent) => void) {
    this.#world = world;
    this.#run = run;
    this.#push = push;
  }

  emit(raw: RunEvent): void {
    const event = hiddenEvent(raw, this.#hide);
    this.#push(event);
    if (isLogged(event)) this.#events.push(loggedEvent(event, this.#run, this.#world.clock.now()));
  }

  takeEvents(): readonly NewEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  hidden(run: Run): Run {
    return hiddenRun(run, this.#hide);
  }

  readonly #hide = (text: string): string => this.#world.hide?.(text) ?? text;
}
