import type { RunInput } from '../compiler/plan/make-run.ts';
import { diagnostic } from '../domain/diagnostics/catalog.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { isoInstant } from '../foundation/time/iso.ts';
import { intersectRanges, normalizeRanges, type RangeSet } from '../foundation/time/ranges.ts';
import type { OpenedWorld } from './open-world.ts';

/** What the signals of each model let through, and what was wrong with those that did not answer. */
export interface SignalAnswers {
  readonly ready: ReadonlyMap<string, RangeSet>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Asks each signal of a model about the ranges that are due. A signal is a function of `signals/*.ts`; it is given the
 * ranges as pairs of ISO times and its arguments, and answers with true, false, or the pairs that are ready. One that
 * fails lets nothing through: filling too late can be mended.
 */
export async function askSignals(
  { userCode }: Pick<OpenedWorld, 'userCode'>,
  { environment, snapshots }: Pick<RunInput, 'environment' | 'snapshots'>,
  questions: ReadonlyMap<string, RangeSet>,
): Promise<SignalAnswers> {
  const ready = new Map<string, RangeSet>();
  const diagnostics: Diagnostic[] = [];
  const byModel = new Map(
    environment.entries.map(({ model, fingerprint }) => [model, snapshots.get(fingerprint) as Snapshot]),
  );
  for (const [model, asked] of questions) {
    let open = asked;
    for (const { name, arguments: given } of byModel.get(model)?.schedule.signals ?? []) {
      const result = await userCode.call('signals', {
        function: name,
        arguments: [open.map(({ start, end }) => [isoInstant(start), isoInstant(end)]), given],
        context: { model, environment: environment.name },
      });
      const answer = result.ok ? readAnswer(result.value, open) : undefined;
      if (answer === undefined)
        diagnostics.push(
          diagnostic('cli.signal-failed', {
            signal: name,
            model,
            detail: result.ok
              ? 'it answered with neither true or false nor a list of pairs of times'
              : result.problem.message.replace(/\.$/, ''),
          }),
        );
      open = answer ?? [];
    }
    ready.set(model, open);
  }
  return { ready, diagnostics };
}

function readAnswer(value: unknown, asked: RangeSet): RangeSet | undefined {
  if (typeof value === 'boolean') return value ? asked : [];
  if (!Array.isArray(value)) return undefined;
  const ranges = value.map((pair: unknown) => {
    const [start, end] = Array.isArray(pair) ? pair.map((time: unknown) => Date.parse(String(time))) : [];
    return { start: start ?? Number.NaN, end: end ?? Number.NaN };
  });
  if (ranges.some(({ start, end }) => Number.isNaN(start) || Number.isNaN(end))) return undefined;
  return intersectRanges(asked, normalizeRanges(ranges));
}
