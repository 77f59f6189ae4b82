import type { Terminal } from './terminal.ts';

/** Says what is being done while it takes long. */
export interface Progress {
  /** What stands behind the label: `12,000 orders`. */
  update(detail: string): void;
}

const FIRST_MS = 1_000;
const REDRAW_MS = 100;
const PLAIN_MS = 5_000;
const FRAMES = ['|', '/', '-', '\\'] as const;

/** Runs work that may take longer than a second: on a terminal one line on stderr is redrawn and removed at the end, elsewhere a line is printed now and then. */
export async function withProgress<Result>(
  terminal: Terminal,
  label: string,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  if (terminal.isQuiet) return work({ update: () => {} });
  const began = performance.now();
  let detail = '';
  let drawn = 0;
  let frame = 0;
  let last = began;
  const line = (now: number): string =>
    `${label}${detail === '' ? '' : ` ${detail}`} ${((now - began) / 1000).toFixed(0)} s`;
  const tick = (): void => {
    const now = performance.now();
    if (now - began < FIRST_MS) return;
    if (terminal.canRedraw) {
      if (now - last < REDRAW_MS) return;
      last = now;
      const text = `${FRAMES[frame++ % FRAMES.length]} ${line(now)}`.slice(0, terminal.width - 1);
      terminal.draw(`\r${text}${' '.repeat(Math.max(0, drawn - text.length))}`);
      drawn = text.length;
    } else if (now - last >= (last === began ? FIRST_MS : PLAIN_MS)) {
      last = now;
      terminal.note(line(now));
    }
  };
  const timer = setInterval(tick, REDRAW_MS);
  timer.unref();
  try {
    return await work({
      update(text) {
        detail = text;
        tick();
      },
    });
  } finally {
    clearInterval(timer);
    if (drawn > 0) terminal.draw(`\r${' '.repeat(drawn)}\r`);
  }
}
