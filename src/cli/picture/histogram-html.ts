/*
 * Pictures of profiles as SVG, each with its numbers as a table beside it:
 *
 *   histogram   bars of the values now; the outline is that of the profile which the column has drifted from
 *   values      a bar for each value, with its share then
 *   trend       a share or a number in each profile that is kept, by time
 */
import type { ColumnProfile } from '../../domain/table-profile.ts';
import { escapeHtml } from '../../foundation/escape-html.ts';
import { isoDate, isoInstantShort } from '../../foundation/time/iso.ts';
import { counted, grouped } from '../render/table.ts';
import { cut, numberText, percentText } from './number-text.ts';

const WIDTH = 320;
const HEIGHT = 96;
const SHOWN = 8;
/** Characters that certainly fit beside a bar. */
const ROOM = 8;

type Bins = NonNullable<ColumnProfile['histogram']>;

/** Bars, the median, and the outline of an earlier profile; bins of both are drawn as dense as they are. */
export function histogramHtml(
  { name, family, type, histogram = [], quartiles }: ColumnProfile,
  before: ColumnProfile | undefined,
): string {
  const [first, last] = [histogram[0], histogram.at(-1)];
  if (first === undefined || last === undefined) return '';
  const earlier = before?.histogram ?? [];
  const all = [...histogram, ...earlier];
  const [low, high] = [Math.min(...all.map(({ from }) => from)), Math.max(...all.map(({ to }) => to))];
  const [now, then] = [densityOf(histogram), densityOf(earlier)];
  const most = Math.max(...now, ...then, Number.MIN_VALUE);
  const x = (value: number): number => (high === low ? 0 : (WIDTH * (value - low)) / (high - low));
  const edge = (value: number): string => edgeText(value, { family, type });
  const bars = histogram.map(({ from, to, rows }, i) => {
    const height = rows === 0 ? 0 : Math.max(1, (HEIGHT * (now[i] as number)) / most);
    const width = high === low ? WIDTH : Math.max(x(to) - x(from) - 1, 1);
    return `<rect x="${x(from).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"><title>${edge(from)} to ${edge(to)}: ${counted(rows, 'row')}</title></rect>`;
  });
  const outline = earlier.flatMap(({ from, to }, i) => {
    const y = (HEIGHT - ((HEIGHT - 1) * (then[i] as number)) / most).toFixed(1);
    return [`${x(from).toFixed(1)},${y}`, `${x(to).toFixed(1)},${y}`];
  });
  const median =
    quartiles === undefined
      ? ''
      : `<line class="median" x1="${x(quartiles[1]).toFixed(1)}" x2="${x(quartiles[1]).toFixed(1)}" y1="0" y2="${HEIGHT}"><title>median ${numberText(quartiles[1])}</title></line>`;
  const label = `Histogram of ${name}: ${histogram.length} bins from ${edge(first.from)} to ${edge(last.to)}`;
  const legend = [
    ...(median === ''
      ? []
      : [`<span class="key median-key">median ${numberText(quartiles?.[1] ?? 0)}</span>`]),
    ...(outline.length === 0 ? [] : ['<span class="key before-key">before</span>']),
  ];
  return `<figure><figcaption>Distribution ${legend.join(' ')}</figcaption>
<svg role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${bars.join('')}${outline.length === 0 ? '' : `<polyline class="before" points="${outline.join(' ')}"/>`}${median}</svg>
<div class="axis"><span>${edge(low)}</span><span>${edge(high)}</span></div>
${tableOf(
  ['from, to', 'rows'],
  histogram.map((bin) => [`${edge(bin.from)} to ${edge(bin.to)}`, grouped(bin.rows)]),
)}</figure>`;
}

/** Shares by width: bins of two profiles may differ. */
function densityOf(bins: Bins): readonly number[] {
  const total = bins.reduce((sum, { rows }) => sum + rows, 0);
  return bins.map(({ from, to, rows }) => (total === 0 ? 0 : rows / total / (to - from || 1)));
}

/** An edge of a bin: of times it is in seconds. */
function edgeText(edge: number, { family, type }: Pick<ColumnProfile, 'family' | 'type'>): string {
  if (family !== 'time') return numberText(edge, 5);
  const at = Math.round(edge * 1000);
  return /^DATE/i.test(type) ? isoDate(at) : isoInstantShort(at).replace(/\.\d+Z$/, 'Z');
}

/** A table with a bar in each row, and the share before where an earlier profile has one. */
export function valuesHtml(
  caption: string,
  values: readonly (readonly [string, number])[] | undefined,
  { rows, before }: { readonly rows: number; readonly before?: ReadonlyMap<string, number> | undefined },
): string {
  if (values === undefined || values.length === 0) return '';
  const [shown, more] = [values.slice(0, SHOWN), values.slice(SHOWN)];
  const most = Math.max(...values.map(([, count]) => count), 1);
  const was = (value: string): string => {
    const share = before?.get(value);
    return `<td class="was">${share === undefined ? 'new' : percentText(share)}</td>`;
  };
  const line = ([value, count]: readonly [string, number]): string =>
    `<tr><th scope="row"${value.length > ROOM ? ` title="${escapeHtml(cut(value))}"` : ''}>${value === '' ? '<i>empty</i>' : escapeHtml(cut(value))}</th><td class="bar"><i style="width:${((100 * count) / most).toFixed(1)}%"></i></td><td>${grouped(count)}</td><td>${rows === 0 ? '' : percentText(count / rows)}</td>${before === undefined ? '' : was(value)}</tr>`;
  const titles = ['value', 'bar', 'rows', 'share', ...(before === undefined ? [] : ['before'])];
  const head = `<thead${before === undefined ? ' class="unseen"' : ''}><tr>${titles.map((title) => `<th scope="col">${title === 'value' || title === 'bar' ? `<span class="unseen">${title}</span>` : title}</th>`).join('')}</tr></thead>`;
  const table = (list: readonly (readonly [string, number])[]): string =>
    `<table class="values">${head}<tbody>${list.map(line).join('')}</tbody></table>`;
  return `<figure><figcaption>${caption}</figcaption>${table(shown)}${more.length === 0 ? '' : `<details><summary>${more.length} others</summary>${table(more)}</details>`}</figure>`;
}

/** A number in each profile, oldest first. */
export interface TrendPoint {
  readonly at: number;
  readonly value: number;
}

/** A line over time: what lies far apart is drawn far apart. */
export function trendHtml(
  { caption, label, unit }: { readonly caption: string; readonly label: string; readonly unit: string },
  points: readonly TrendPoint[],
  text: (value: number) => string,
): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) return '';
  const most = Math.max(...points.map(({ value }) => value));
  const height = HEIGHT / 2;
  const span = last.at - first.at;
  const placed = points.map(({ at, value }, i) => {
    const part = span > 0 ? (at - first.at) / span : i / (points.length - 1);
    const y = height - 4 - ((height - 8) * value) / (most === 0 ? 1 : most);
    return { x: (4 + (WIDTH - 8) * part).toFixed(1), y: y.toFixed(1), at, value };
  });
  const line = placed.map(({ x, y }) => `${x},${y}`).join(' ');
  const area = `4,${height} ${line} ${placed.at(-1)?.x ?? 0},${height}`;
  const dots = placed.map(
    ({ x, y, at, value }) =>
      `<circle cx="${x}" cy="${y}" r="2.5"><title>${isoInstantShort(at)}: ${text(value)}</title></circle>`,
  );
  const words = `${label}: ${points.length} profiles, from ${text(first.value)} to ${text(last.value)}, at most ${text(most)}`;
  return `<figure><figcaption>${caption} <span class="key">now ${text(last.value)}, at most ${text(most)}</span></figcaption>
<svg class="line" role="img" aria-label="${escapeHtml(words)}" viewBox="0 0 ${WIDTH} ${height}"><polygon points="${area}"/><polyline points="${line}"/>${dots.join('')}</svg>
<div class="axis"><span>${isoDate(first.at)}</span><span>${isoDate(last.at)}</span></div>
${tableOf(
  ['profile', unit],
  points.map(({ at, value }) => [isoInstantShort(at), text(value)]),
)}</figure>`;
}

function tableOf(titles: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  return `<details><summary>as a table</summary><table><thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead><tbody>${rows.map(([a, b]) => `<tr><th scope="row">${escapeHtml(a)}</th><td>${escapeHtml(b)}</td></tr>`).join('')}</tbody></table></details>`;
}
