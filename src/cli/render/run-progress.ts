import type { QualityEvent } from '../../domain/check-event.ts';
import type { RunEvent } from '../../domain/run.ts';
import { eventJson } from '../../domain/run-json.ts';
import type { Terminal } from '../terminal.ts';
import { checkedLine, incidentLine, problemLines } from './check-text.ts';
import { durationText } from './intervals.ts';
import { printable } from './printable.ts';
import { driftLines, profiledLine } from './profile-text.ts';
import { auditLines, modelLine } from './run-text.ts';
import { counted, grouped } from './table.ts';

/** Draws a run while it happens. Finished lines stay, running ones are redrawn below them; `end` leaves only what is permanent. */
export interface RunProgress {
  show(event: RunEvent | QualityEvent): void;
  /** A line of another's, above those that are redrawn. */
  note(text: string): void;
  end(): void;
}

interface Running {
  readonly began: number;
  batch: number;
  batches: number;
  rows: number;
  holder?: string;
}

/** Events beside those of models that leave a line. */
const STAYS = new Set<(RunEvent | QualityEvent)['event']>([
  'model.checked',
  'model.profiled',
  'checks.failed',
  'incident.opened',
  'incident.closed',
  'model.waiting',
  'run.recovered',
  'environment.promoted',
  'warehouse.cleaned',
  'stage.failed',
]);
const LINES_MAX = 6;
const REDRAW_MS = 100;

/** JSON lines on stdout, redrawn lines on a terminal's stderr, or one line a finished model. */
export function runProgress(terminal: Terminal): RunProgress {
  if (terminal.mode === 'json')
    return {
      show: (event) => terminal.write(`${eventJson(event, Date.now())}\n`),
      note: terminal.note,
      end: () => {},
    };
  if (terminal.isQuiet) return { show: () => {}, note: () => {}, end: () => {} };
  const reported = new Set<string>();
  return terminal.canRedraw
    ? redrawn(terminal, reported)
    : { show: (event) => permanent(terminal, event, reported), note: terminal.note, end: () => {} };
}

/** One event outside a run: what was found before it began. */
export function showEvent(terminal: Terminal, event: RunEvent): void {
  const progress = runProgress(terminal);
  progress.show(event);
  progress.end();
}

/** What stays on the screen and in logs. */
function permanent(terminal: Terminal, event: RunEvent | QualityEvent, reported: Set<string>): void {
  switch (event.event) {
    case 'model.built':
    case 'model.failed':
    case 'model.skipped':
      // A view is reported when it is made; its audits come later and have lines of their own.
      if (event.event !== 'model.built' || !reported.has(event.result.name))
        terminal.note(modelLine(terminal, event.result));
      reported.add(event.result.name);
      for (const line of auditLines(event.result)) terminal.note(line);
      return;
    case 'model.waiting':
      terminal.note(`  Waiting  ${printable(event.model)}  is being built by ${printable(event.holder)}`);
      return;
    case 'run.recovered':
      terminal.note(`Recovered  run ${event.runId}: ${printable(event.did)}`);
      return;
    case 'environment.promoted':
      terminal.note(
        ` Promoted  ${event.environment}  ${counted(event.views, 'view')}${event.removed === 0 ? '' : `, ${grouped(event.removed)} removed`}`,
      );
      return;
    case 'warehouse.cleaned':
      for (const name of event.dropped) terminal.note(`  Dropped  ${printable(name)}`);
      for (const { name, reason } of event.kept)
        terminal.note(`     Kept  ${printable(name)}  ${printable(reason)}`);
      return;
    case 'model.checked':
      terminal.note(checkedLine(terminal, event));
      for (const line of problemLines(terminal, event.results)) terminal.note(line);
      return;
    case 'model.profiled':
      terminal.note(profiledLine(terminal, event.profile));
      for (const line of driftLines(event.profile)) terminal.note(line);
      return;
    case 'incident.opened':
    case 'incident.closed':
      terminal.note(incidentLine(event.incident));
      return;
    case 'checks.failed':
      terminal.note(`   Failed  checks  ${event.error.code}: ${printable(event.error.message)}`);
      return;
    case 'stage.failed':
      // The models of a backfill or an audit report it themselves.
      if (event.stage.kind === 'backfill' || event.stage.kind === 'audit') return;
      terminal.note(`   Failed  ${event.stage.kind}  ${event.error.code}`);
      return;
    default:
      return;
  }
}

function redrawn(terminal: Terminal, reported: Set<string>): RunProgress {
  const running = new Map<string, Running>();
  const began = performance.now();
  let [total, failed, drawn] = [0, 0, 0];
  const clear = (): void => {
    if (drawn > 0) terminal.draw(`\u001b[${drawn}A\u001b[J`);
    drawn = 0;
  };
  const draw = (): void => {
    clear();
    const now = performance.now();
    const fit = (line: string): string => line.slice(0, terminal.width - 1);
    const lines = [...running]
      .slice(0, LINES_MAX)
      .map(([model, state]) => fit(runningLine(model, state, now)));
    const more = running.size - lines.length;
    const done = reported.size;
    const left = Math.max(0, total - done - running.size);
    lines.push(
      fit(
        `${grouped(done)} done · ${grouped(running.size)} running${more > 0 ? ` (${more} not shown)` : ''}${failed > 0 ? ` · ${grouped(failed)} failed` : ''} · ${grouped(left)} left · ${durationText(now - began)}`,
      ),
    );
    terminal.draw(lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  };
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();
  return {
    show(event) {
      if (event.event === 'run.started') total = event.models;
      if (event.event === 'model.started')
        running.set(event.model, { began: performance.now(), batch: 0, batches: event.batches, rows: 0 });
      const state = 'model' in event ? running.get(event.model) : undefined;
      if (event.event === 'model.progress' && state !== undefined)
        Object.assign(state, { batch: event.batch, batches: event.batches, rows: event.rows });
      if (event.event === 'model.waiting' && state !== undefined) state.holder = event.holder;
      if (
        event.event === 'model.built' ||
        event.event === 'model.failed' ||
        event.event === 'model.skipped'
      ) {
        running.delete(event.result.name);
        if (event.event === 'model.failed') failed++;
      } else if (!STAYS.has(event.event)) return;
      // Lines that stay go above those that are redrawn; everything else waits for the next tick.
      clear();
      permanent(terminal, event, reported);
      draw();
    },
    note(text) {
      clear();
      terminal.note(text);
      draw();
    },
    end() {
      clearInterval(timer);
      clear();
    },
  };
}

function runningLine(model: string, { began, batch, batches, rows, holder }: Running, now: number): string {
  const parts = [
    `${'Running'.padStart(9)}  ${printable(model)}`,
    ...(holder === undefined ? [] : [`waits for ${printable(holder)}`]),
    ...(batches > 1 ? [`batch ${grouped(batch)} of ${grouped(batches)}`] : []),
    ...(rows > 0 ? [counted(rows, 'row')] : []),
    durationText(now - began),
  ];
  return parts.join('  ');
}
