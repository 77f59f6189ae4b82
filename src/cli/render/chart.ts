/*
 * A picture of an answer in plain characters.
 *
 *   one or more dimensions         a bar for each row (and measure)          EU  ██████████▌ 1,234.50
 *   a time bucket, one series      a line over time, with its axis
 *   a time bucket, several series  a small line for each, one below the other
 */
import type { Answer } from '../../domain/engine.ts';
import type { QueryColumn } from '../../domain/semantic-query.ts';
import { formattedNumber } from './formatted-number.ts';
import { cellText } from './rows.ts';
import { counted, pad } from './table.ts';

/** What is drawn, and how much room there is. */
export interface ChartSource {
  readonly answer: Answer;
  readonly columns: readonly QueryColumn[];
  readonly width: number;
  readonly hasUnicode: boolean;
}

export type Chart =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

const BARS_MAX = 60;
const SERIES_MAX = 40;
const LABEL_MAX = 30;
const LINE_HEIGHT = 10;

/** The picture that suits the answer, or why none does. */
export function chartOf(source: ChartSource): Chart {
  const { answer, columns } = source;
  const at = (kind: QueryColumn['kind']): readonly number[] =>
    columns.flatMap((column, index) => (column.kind === kind ? [index] : []));
  const measures = at('measure').filter((index) =>
    answer.rows.every((row) => numberOf(row[index]) !== undefined),
  );
  const [time, secondTime] = at('time');
  const labels = [...at('compare'), ...at('dimension')];
  if (answer.rows.length === 0) return { ok: false, why: 'it has no rows' };
  if (measures.length === 0) return { ok: false, why: 'it has no measure that is a number' };
  if (secondTime !== undefined) return { ok: false, why: 'it has more than one time bucket' };
  if (time === undefined && labels.length === 0)
    return { ok: false, why: 'it is a single row; add a dimension or --time' };
  return time === undefined ? bars(source, labels, measures) : lines(source, { time, labels, measures });
}

/** NaN for NULL, which leaves a gap; undefined for what is not a number. */
function numberOf(cell: unknown): number | undefined {
  if (cell === null || cell === undefined) return Number.NaN;
  if (typeof cell === 'boolean' || typeof cell === 'object' || cell === '') return undefined;
  const value = Number(cell);
  return Number.isFinite(value) ? value : undefined;
}

const labelOf = (row: readonly unknown[], labels: readonly number[]): string =>
  labels.map((index) => cellText(row[index]) || '(none)').join(' / ');

function shown(value: unknown, column: QueryColumn | undefined): string {
  return formattedNumber(value, column?.format) ?? cellText(value);
}

function bars(source: ChartSource, labels: readonly number[], measures: readonly number[]): Chart {
  const { answer, columns, width, hasUnicode } = source;
  if (answer.rows.length * measures.length > BARS_MAX)
    return {
      ok: false,
      why: `it would have ${counted(answer.rows.length * measures.length, 'bar')}, of which ${BARS_MAX} fit; use --limit`,
    };
  const entries = answer.rows.flatMap((row) =>
    measures.map((index, position) => ({
      label: position === 0 ? labelOf(row, labels) : '',
      name: measures.length === 1 ? '' : (columns[index]?.name ?? ''),
      value: numberOf(row[index]) as number,
      text: shown(row[index], columns[index]),
    })),
  );
  const most = (texts: readonly string[], max: number): number =>
    Math.min(
      max,
      texts.reduce((longest, text) => Math.max(longest, text.length), 0),
    );
  const labelWidth = most(
    entries.map(({ label }) => label),
    LABEL_MAX,
  );
  const nameWidth = most(
    entries.map(({ name }) => name),
    LABEL_MAX,
  );
  const valueWidth = most(
    entries.map(({ text }) => text),
    40,
  );
  const room = Math.max(10, width - labelWidth - valueWidth - (nameWidth === 0 ? 0 : nameWidth + 2) - 4);
  const values = entries.map(({ value }) => value).filter((value) => !Number.isNaN(value));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const zero = Math.round(shareOf(-low, high - low) * room);
  const text = entries
    .map(({ label, name, value, text: number }) => {
      const head =
        nameWidth === 0 ? pad(label, labelWidth) : `${pad(label, labelWidth)}  ${pad(name, nameWidth)}`;
      const drawn = Number.isNaN(value)
        ? ''
        : bar(shareOf(value, high - low) * room, { zero, room, hasUnicode });
      return `${head}  ${pad(drawn, room)}  ${pad(number, valueWidth, 'right')}`.trimEnd();
    })
    .join('\n');
  return { ok: true, text };
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Part of a whole between -1 and 1, also of numbers at the ends of what a number can be. */
function shareOf(value: number, whole: number): number {
  if (whole === 0 || !Number.isFinite(whole)) return 0;
  return Math.max(-1, Math.min(1, value / whole));
}

/** Negative lengths grow to the left of zero. */
function bar(
  length: number,
  { zero, room, hasUnicode }: { readonly zero: number; readonly room: number; readonly hasUnicode: boolean },
): string {
  const [full, half] = hasUnicode ? ['█', '▒'] : ['#', '-'];
  if (length < 0) {
    const cells = Math.min(zero, Math.max(1, Math.round(-length)));
    return `${' '.repeat(zero - cells)}${half.repeat(cells)}`;
  }
  const kept = Math.min(length, room - zero);
  const whole = Math.floor(kept);
  const eighths = Math.floor((kept - whole) * 8);
  const rest = hasUnicode ? (EIGHTHS[eighths] as string) : eighths >= 4 ? full : '';
  return `${' '.repeat(zero)}${full.repeat(whole)}${rest}`;
}

interface Series {
  readonly label: string;
  readonly column: QueryColumn | undefined;
  /** By bucket; NaN where there is none. */
  readonly values: readonly number[];
  readonly cells: readonly unknown[];
}

interface LineColumns {
  readonly time: number;
  readonly labels: readonly number[];
  readonly measures: readonly number[];
}

function lines(source: ChartSource, at: LineColumns): Chart {
  const buckets = [...new Set(source.answer.rows.map((row) => cellText(row[at.time])))]
    .filter((bucket) => bucket !== '')
    .sort();
  if (buckets.length < 2) return { ok: false, why: 'it has fewer than two time buckets' };
  const series = seriesOf(source, at, buckets);
  if (series.length > SERIES_MAX)
    return {
      ok: false,
      why: `it would have ${counted(series.length, 'line')}, of which ${SERIES_MAX} fit; use --filter`,
    };
  const [only] = series;
  const text =
    series.length === 1 && only !== undefined
      ? bigLine(only, buckets, source)
      : smallLines(series, buckets, source);
  return { ok: true, text };
}

function seriesOf(
  { answer, columns }: ChartSource,
  at: LineColumns,
  buckets: readonly string[],
): readonly Series[] {
  const positions = new Map(buckets.map((bucket, index) => [bucket, index]));
  const found = new Map<string, { column: QueryColumn | undefined; values: number[]; cells: unknown[] }>();
  for (const row of answer.rows) {
    const position = positions.get(cellText(row[at.time]));
    if (position === undefined) continue;
    for (const index of at.measures) {
      const name = at.measures.length === 1 ? '' : (columns[index]?.name ?? '');
      const label = [labelOf(row, at.labels), name].filter((part) => part !== '').join(' ');
      let series = found.get(label);
      if (series === undefined) {
        const empty = buckets.map(() => Number.NaN);
        series = { column: columns[index], values: empty, cells: buckets.map(() => null) };
        found.set(label, series);
      }
      series.values[position] = numberOf(row[index]) as number;
      series.cells[position] = row[index];
    }
  }
  return [...found].map(([label, series]) => ({ label, ...series }));
}

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const PLAIN_LEVELS = ['_', '.', '-', '=', '^'];

/** One row each, all on one scale; the numbers behind it are its least and greatest value. */
function smallLines(
  series: readonly Series[],
  buckets: readonly string[],
  { width, hasUnicode }: ChartSource,
): string {
  const all = series.flatMap(({ values }) => values).filter((value) => !Number.isNaN(value));
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
  const levels = hasUnicode ? LEVELS : PLAIN_LEVELS;
  const ends = series.map(({ values, cells, column }) => {
    const extreme = (better: (a: number, b: number) => boolean): string => {
      let best = -1;
      for (const [index, value] of values.entries())
        if (!Number.isNaN(value) && (best < 0 || better(value, values[best] as number))) best = index;
      return best < 0 ? '' : shown(cells[best], column);
    };
    return `${extreme((a, b) => a < b)} to ${extreme((a, b) => a > b)}`;
  });
  const labelWidth = Math.min(LABEL_MAX, Math.max(...series.map(({ label }) => label.length)));
  const room = Math.max(10, width - labelWidth - Math.max(...ends.map((end) => end.length)) - 4);
  const drawn = series.map(({ label, values }, index) => {
    const line = squeezed(values, room)
      .map((value) => {
        if (Number.isNaN(value)) return ' ';
        const share = high === low ? 0 : (value - low) / (high - low);
        return levels[Math.min(levels.length - 1, Math.floor(share * levels.length))] as string;
      })
      .join('');
    return `${pad(label, labelWidth)}  ${line}  ${ends[index]}`;
  });
  return [...drawn, `${' '.repeat(labelWidth)}  ${buckets[0]} to ${buckets.at(-1)}`].join('\n');
}

/** Fewer points than there are columns of text are kept; more are averaged. */
function squeezed(values: readonly number[], room: number): readonly number[] {
  if (values.length <= room) return values;
  return Array.from({ length: room }, (_, index) => {
    const from = Math.floor((index * values.length) / room);
    const to = Math.max(from + 1, Math.floor(((index + 1) * values.length) / room));
    const part = values.slice(from, to).filter((value) => !Number.isNaN(value));
    return part.length === 0 ? Number.NaN : part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

/** A line over time with its least and greatest value at the axis. */
function bigLine({ values, cells, column }: Series, buckets: readonly string[], source: ChartSource): string {
  const { width, hasUnicode } = source;
  const known = values.filter((value) => !Number.isNaN(value));
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const cellOf = (value: number): unknown => cells[values.indexOf(value)];
  const [highText, lowText] = [shown(cellOf(high), column), shown(cellOf(low), column)];
  const axisWidth = Math.max(highText.length, lowText.length);
  const room = Math.max(10, width - axisWidth - 3);
  const spread = Math.max(1, Math.min(6, Math.floor(room / values.length)));
  const points = squeezed(values, room);
  const rowOf = (value: number): number =>
    high === low
      ? Math.floor(LINE_HEIGHT / 2)
      : Math.round(((high - value) / (high - low)) * (LINE_HEIGHT - 1));
  const [dot, axis, corner, dash] = hasUnicode ? ['●', '│', '└', '─'] : ['*', '|', '+', '-'];
  const rows = Array.from({ length: LINE_HEIGHT }, (_, line) => {
    const drawn = points
      .map((value) => (!Number.isNaN(value) && rowOf(value) === line ? dot : ' ') + ' '.repeat(spread - 1))
      .join('');
    const label = line === 0 ? highText : line === LINE_HEIGHT - 1 ? lowText : '';
    return `${pad(label, axisWidth, 'right')} ${axis}${drawn}`.trimEnd();
  });
  const length = Math.max(points.length * spread, 1);
  const first = buckets[0] as string;
  const last = buckets.at(-1) as string;
  const gap = Math.max(1, length - first.length - last.length);
  return [
    ...rows,
    `${' '.repeat(axisWidth)} ${corner}${dash.repeat(length)}`,
    `${' '.repeat(axisWidth + 2)}${first}${' '.repeat(gap)}${last}`,
  ].join('\n');
}
