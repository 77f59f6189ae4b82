import { isoInstantShort } from '../../foundation/time/iso.ts';
import type { BacktestedCheck } from '../../operations/quality/backtest-checks.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from './printable.ts';
import { counted, renderTable } from './table.ts';

type Point = BacktestedCheck['points'][number];

const wordOf = ({ verdict }: Point): 'training' | 'normal' | 'anomaly' =>
  verdict.kind === 'training' ? 'training' : verdict.isAnomaly ? 'anomaly' : 'normal';

/** A rule with every value of its history, as `check --backtest --json` has it. */
export function backtestJson({ check, model, rule, points }: BacktestedCheck) {
  const counts = Map.groupBy(points, wordOf);
  const count = (word: ReturnType<typeof wordOf>): number => counts.get(word)?.length ?? 0;
  return {
    ...{ check, model, method: rule.method, sensitivity: rule.sensitivity },
    ...{ training: rule.training, season: rule.season },
    values: points.length,
    in_training: count('training'),
    flagged: count('anomaly'),
    points: points.map((point) => ({
      at: isoInstantShort(point.at),
      value: point.value,
      verdict: wordOf(point),
      ...(point.verdict.kind === 'training'
        ? { low: null, high: null, score: null }
        : { low: point.verdict.low, high: point.verdict.high, score: point.verdict.score }),
    })),
  };
}

/** What a rule would have flagged: a line that counts, and a table of the values. */
export function backtestText(terminal: Terminal, tested: BacktestedCheck): string {
  const { check, method, sensitivity, season, values, in_training, flagged, points } = backtestJson(tested);
  const word = terminal.style(flagged === 0 ? 'green' : 'yellow', `${flagged} flagged`);
  const how = `${method}, sensitivity ${sensitivity}${season === 'none' ? '' : `, ${season}`}`;
  const head = `${terminal.style('bold', printable(check))}  ${counted(values, 'value')}, ${in_training} of them training, ${word}  (${how})`;
  const rows = points.flatMap(({ at, value, verdict, low, high, score }) =>
    verdict === 'anomaly' ? [[at, ...[value, low, high, score].map(numberText)]] : [],
  );
  const columns = ['value', 'low', 'high', 'score'].map((title) => ({ title, align: 'right' as const }));
  return rows.length === 0
    ? head
    : `${head}\n${renderTable(terminal, [{ title: 'flagged at' }, ...columns], rows)}`;
}

/** Six digits say enough of a measured value. */
const numberText = (value: number | null): string =>
  value === null ? '' : String(Number(value.toPrecision(6)));
