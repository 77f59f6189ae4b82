import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Schedule } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { intersectRanges, normalizeRanges, type RangeSet } from '../../foundation/time/ranges.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** A model with signals, and the time they are asked about. */
export interface SignalQuestion {
  readonly model: string;
  readonly ranges: RangeSet;
  readonly signals: Schedule['signals'];
  /** Their code as it was stored with the snapshot; absent when a version of Plinth made it that did not. */
  readonly files: Readonly<Record<string, string>> | undefined;
}

/** What the signals of each model let through, and what was wrong with those that did not answer. */
export interface SignalAnswers {
  readonly ready: ReadonlyMap<string, RangeSet>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Asks each signal of a model about the ranges that are due. A signal is a function of `signals/*.ts`, run from its stored text; it is given the
 * ranges as pairs of ISO times and its arguments, and answers with true, false, or the pairs that are ready. One that
 * fails lets nothing through: intervals can be filled later.
 */
export async function askSignals(
  { userCodeOf }: Pick<OpenedWorldReader, 'userCodeOf'>,
  environment: string,
  questions: readonly SignalQuestion[],
): Promise<SignalAnswers> {
  const ready = new Map<string, RangeSet>();
  const diagnostics: Diagnostic[] = [];
  const fail = (signal: string, model: string, detail: string): void =>
    void diagnostics.push(diagnostic('cli.signal-failed', { signal, model, detail }));
  for (const { model, ranges, signals, files } of questions) {
    if (files === undefined) {
      for (const { name } of signals) fail(name, model, 'its code is not in state; plinth plan stores it');
      ready.set(model, []);
      continue;
    }
    const code = userCodeOf(files);
    try {
      let open = ranges;
      for (const { name, arguments: given } of signals) {
        const result = await code.call('signals', {
          function: name,
          arguments: [open.map(({ start, end }) => [isoInstant(start), isoInstant(end)]), given],
          context: { model, environment },
        });
        const answer = result.ok ? readAnswer(result.value, open) : undefined;
        if (answer === undefined)
          fail(
            name,
            model,
            result.ok
              ? 'it answered with neither true or false nor a list of pairs of times'
              : result.problem.message.replace(/\.$/, ''),
          );
        open = answer ?? [];
      }
      ready.set(model, open);
    } finally {
      await code.close();
    }
  }
  return { ready, diagnostics };
}

function readAnswer(value: unknown, requested: RangeSet): RangeSet | undefined {
  if (typeof value === 'boolean') return value ? requested : [];
  if (!Array.isArray(value)) return undefined;
  const ranges = value.map((pair: unknown) => {
    const [start, end] = Array.isArray(pair) ? pair.map((time: unknown) => Date.parse(String(time))) : [];
    return { start: start ?? Number.NaN, end: end ?? Number.NaN };
  });
  if (ranges.some(({ start, end }) => Number.isNaN(start) || Number.isNaN(end))) return undefined;
  return intersectRanges(requested, normalizeRanges(ranges));
}
