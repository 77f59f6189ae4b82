import { driftedColumns } from '../../domain/drifted-columns.ts';
import type { ColumnProfile, DriftMeasures, TableProfile } from '../../domain/table-profile.ts';
import { escapeHtml } from '../../foundation/escape-html.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import type { ProfileHistory } from '../../operations/quality/profile-history.ts';
import { distinctText, driftText, nullText } from '../render/profile-text.ts';
import { counted, grouped } from '../render/table.ts';
import { PROFILE_STYLE } from './profile-style.ts';

const WIDTH = 320;
const HEIGHT = 96;

/** One HTML page about profiles: no script and nothing from elsewhere, light and dark, with a table beside each picture. */
export function profilePage(tables: readonly ProfileHistory[], title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${PROFILE_STYLE}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1>
<nav aria-label="Tables"><ul>${tables.map(({ profile }, index) => `<li><a href="#t${index}">${escapeHtml(profile.model)}</a> ${grouped(profile.rows)} rows${driftedColumns(profile).length === 0 ? '' : ' <span class="mark">drift</span>'}</li>`).join('')}</ul></nav>
</header>
<main>
${tables.map(tableHtml).join('\n')}
</main>
<footer>Made by <code>plinth profile --html</code>. Drift: another distribution (PSI above 0.2), another share of NULLs, new or vanished values.</footer>
</body>
</html>
`;
}

function tableHtml({ profile, history }: ProfileHistory, index: number): string {
  const drifts = driftedColumns(profile);
  const missing = profile.columns.reduce((sum, { nulls }) => sum + nulls, 0);
  const cells = profile.rows * profile.columns.length;
  const facts: readonly (readonly [string, string])[] = [
    ['rows', grouped(profile.rows)],
    ['columns', grouped(profile.columns.length)],
    ['cells without a value', cells === 0 ? '–' : `${percentText(missing / cells)}`],
    ['measured', isoInstant(profile.at)],
    ['environment', profile.environment],
    ['profiles kept', grouped(history.length + 1)],
  ];
  return `<section id="t${index}">
<h2>${escapeHtml(profile.model)}</h2>
<dl class="facts">${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>
${drifts.length === 0 ? '<p class="calm">No drift.</p>' : `<ul class="drifts">${drifts.map(({ column, from, drift }) => `<li><span class="mark">drift</span> <b>${escapeHtml(column)}</b>, against ${earlierText(from)}: ${escapeHtml(driftText(drift))}</li>`).join('')}</ul>`}
<div class="columns">
${profile.columns.map((column) => columnHtml(column, profile, history)).join('\n')}
</div>
</section>`;
}

const earlierText = (from: 'previous' | 'baseline'): string =>
  from === 'previous' ? 'the profile before' : 'the first profile';

function columnHtml(column: ColumnProfile, profile: TableProfile, history: readonly TableProfile[]): string {
  const drifted = [column.drift?.previous, column.drift?.baseline].some((each) => each?.isDrifted === true);
  const parts = [
    histogramHtml(column),
    valuesHtml(
      'Most frequent values',
      column.topValues?.map(({ value, rows }) => [value ?? 'NULL', rows]),
      profile.rows,
    ),
    valuesHtml(
      'Patterns',
      column.patterns?.map(({ pattern, rows }) => [pattern, rows]),
      profile.rows,
    ),
    nullsHtml(column, profile, history),
  ];
  return `<article${drifted ? ' class="drifted"' : ''}>
<h3>${escapeHtml(column.name)} <small>${escapeHtml(column.type)}</small>${drifted ? ' <span class="mark">drift</span>' : ''}</h3>
${factsHtml(column, profile.rows)}
${driftHtml(column)}${parts.join('\n')}
</article>`;
}

function factsHtml(column: ColumnProfile, rows: number): string {
  const number = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : String(Number(value.toPrecision(6)));
  const count = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : grouped(value);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['NULL', column.nulls === 0 ? 'none' : `${nullText(column, rows)} (${grouped(column.nulls)})`],
    ['distinct', distinctText(column) || undefined],
    ['duplicates', count(column.duplicates)],
    ['least', shortText(column.min)],
    ['quartiles', column.quartiles?.map((each) => number(each)).join(' · ')],
    ['greatest', shortText(column.max)],
    ['average', number(column.avg)],
    ['deviation', number(column.stddev)],
    ['sum', number(column.sum)],
    ['zeros', count(column.zeros)],
    ['negative', count(column.negatives)],
    ['empty', count(column.empties)],
    [
      'length',
      column.lengths &&
        `${column.lengths.min} to ${column.lengths.max}, ${number(column.lengths.avg)} on average`,
    ],
  ];
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined);
  return `<dl>${known.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}${column.isWithheld === true ? '<div><dt>values</dt><dd>hidden from you by a policy</dd></div>' : ''}</dl>`;
}

function driftHtml({ drift }: ColumnProfile): string {
  const line = (from: 'previous' | 'baseline', measures: DriftMeasures | undefined): string =>
    measures?.isDrifted === true
      ? `<p class="drift">Against ${earlierText(from)}: ${escapeHtml(driftText(measures))}</p>\n`
      : '';
  return `${line('previous', drift?.previous)}${line('baseline', drift?.baseline)}`;
}

/** Bars, and the same numbers as a table. */
function histogramHtml({ name, histogram = [] }: ColumnProfile): string {
  const most = Math.max(...histogram.map(({ rows }) => rows), 1);
  const [first, last] = [histogram[0], histogram.at(-1)];
  if (first === undefined || last === undefined) return '';
  const width = WIDTH / histogram.length;
  const bars = histogram.map(({ from, to, rows }, i) => {
    const height = rows === 0 ? 0 : Math.max(1, (HEIGHT * rows) / most);
    return `<rect x="${(i * width).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${Math.max(width - 1, 1).toFixed(1)}" height="${height.toFixed(1)}"><title>${edgeText(from)} to ${edgeText(to)}: ${counted(rows, 'row')}</title></rect>`;
  });
  const label = `Histogram of ${name}: ${histogram.length} bins from ${edgeText(first.from)} to ${edgeText(last.to)}`;
  const rows = histogram.map(
    (bin) => [`${edgeText(bin.from)} to ${edgeText(bin.to)}`, grouped(bin.rows)] as const,
  );
  return `<figure><figcaption>Distribution</figcaption>
<svg role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${bars.join('')}</svg>
<div class="axis"><span>${edgeText(first.from)}</span><span>${edgeText(last.to)}</span></div>
${tableOf(['from, to', 'rows'], rows)}</figure>`;
}

/** A table with a bar in each row. */
function valuesHtml(
  caption: string,
  values: readonly (readonly [string, number])[] | undefined,
  rows: number,
): string {
  if (values === undefined || values.length === 0) return '';
  const [shown, more] = [values.slice(0, 8), values.slice(8)];
  const most = Math.max(...values.map(([, count]) => count), 1);
  const line = ([value, count]: readonly [string, number]): string =>
    `<tr><th scope="row">${value === '' ? '<i>empty</i>' : escapeHtml(cut(value))}</th><td class="bar"><i style="width:${((100 * count) / most).toFixed(1)}%"></i></td><td>${grouped(count)}</td><td>${rows === 0 ? '' : percentText(count / rows)}</td></tr>`;
  const table = (list: readonly (readonly [string, number])[]): string =>
    `<table class="values"><thead class="unseen"><tr><th scope="col">value</th><th scope="col">bar</th><th scope="col">rows</th><th scope="col">share</th></tr></thead><tbody>${list.map(line).join('')}</tbody></table>`;
  return `<figure><figcaption>${caption}</figcaption>${table(shown)}${more.length === 0 ? '' : `<details><summary>${more.length} others</summary>${table(more)}</details>`}</figure>`;
}

/** The share of NULLs in each profile that is kept, oldest first. */
function nullsHtml({ name }: ColumnProfile, profile: TableProfile, history: readonly TableProfile[]): string {
  const points = [profile, ...history].reverse().flatMap(({ at, rows, columns }) => {
    const found = columns.find((column) => column.name === name);
    return found === undefined || rows === 0 ? [] : [{ at, share: found.nulls / rows }];
  });
  if (points.length < 2) return '';
  const most = Math.max(...points.map(({ share }) => share));
  const top = most === 0 ? 1 : most;
  const height = HEIGHT / 2;
  const placed = points.map(({ share }, i) => {
    const x = 4 + ((WIDTH - 8) * i) / (points.length - 1);
    return [x.toFixed(1), (height - 4 - ((height - 8) * share) / top).toFixed(1)] as const;
  });
  const label = `Share of NULLs in ${name}: ${points.length} profiles, from ${percentText(points[0]?.share ?? 0)} to ${percentText(points.at(-1)?.share ?? 0)}, at most ${percentText(most)}`;
  return `<figure><figcaption>Share of NULLs over time, at most ${percentText(most)}</figcaption>
<svg class="line" role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 ${WIDTH} ${height}"><polyline points="${placed.map((point) => point.join(',')).join(' ')}"/>${placed.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="2.5"/>`).join('')}</svg>
<div class="axis"><span>${dayText(points[0]?.at ?? 0)}</span><span>${dayText(points.at(-1)?.at ?? 0)}</span></div>
${tableOf(
  ['profile', 'NULLs'],
  points.map(({ at, share }) => [isoInstant(at), percentText(share)] as const),
)}</figure>`;
}

function tableOf(titles: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  return `<details><summary>as a table</summary><table><thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead><tbody>${rows.map(([a, b]) => `<tr><th scope="row">${escapeHtml(a)}</th><td>${escapeHtml(b)}</td></tr>`).join('')}</tbody></table></details>`;
}

const edgeText = (edge: number): string => String(Number(edge.toPrecision(5)));
const dayText = (at: number): string => isoInstant(at).slice(0, 10);

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function shortText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cut(text);
}

function percentText(share: number): string {
  const percent = 100 * share;
  return `${percent === 0 || percent >= 10 ? percent.toFixed(0) : percent.toPrecision(2)} %`;
}
