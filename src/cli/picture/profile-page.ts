import { driftedColumns } from '../../domain/drifted-columns.ts';
import type { ColumnProfile, DriftMeasures, TableProfile } from '../../domain/table-profile.ts';
import { escapeHtml } from '../../foundation/escape-html.ts';
import type { ProfileHistory } from '../../operations/quality/profile-history.ts';
import { distinctText, driftText, nullText } from '../render/profile-text.ts';
import { counted, grouped } from '../render/table.ts';
import { histogramHtml, trendHtml, valuesHtml } from './histogram-html.ts';
import { cut, momentText, numberText, percentText } from './number-text.ts';
import { PROFILE_STYLE } from './profile-style.ts';

/** One HTML page about profiles: no script and nothing from elsewhere, light and dark, with a table beside each picture. */
export function profilePage(tables: readonly ProfileHistory[], title: string): string {
  const times = tables.map(({ profile }) => profile.at);
  const columns = tables.reduce((sum, { profile }) => sum + profile.columns.length, 0);
  const measured = times.length === 0 ? '' : `, measured ${momentText(Math.max(...times))}`;
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
<p class="calm">${counted(tables.length, 'table')}, ${counted(columns, 'column')}${measured}</p>
${overviewHtml(tables)}
</header>
<main>
${tables.map(tableHtml).join('\n')}
</main>
<footer>Made by <code>plinth profile --html</code>. Drift: another distribution (PSI above 0.2), another share of NULLs, new or vanished values.</footer>
</body>
</html>
`;
}

/** Every table on a line, with what has changed in it: where to look first. */
function overviewHtml(tables: readonly ProfileHistory[]): string {
  const line = ({ profile, history }: ProfileHistory, index: number): string => {
    const drifted = [...new Set(driftedColumns(profile).map(({ column }) => column))];
    const links = drifted.map(
      (name) =>
        `<a href="#t${index}c${profile.columns.findIndex((column) => column.name === name)}">${escapeHtml(name)}</a>`,
    );
    const found =
      links.length > 0
        ? `<span class="mark">drift</span> ${links.join(', ')}`
        : `<span class="calm">${history.length === 0 ? 'first profile' : 'no drift'}</span>`;
    return `<tr><th scope="row"><a href="#t${index}">${escapeHtml(profile.model)}</a></th><td>${grouped(profile.rows)}</td><td>${grouped(profile.columns.length)}</td><td>${emptyText(profile)}</td><td>${found}</td></tr>`;
  };
  const titles = ['table', 'rows', 'columns', 'without a value', 'compared with before'];
  return `<table class="overview"><thead><tr>${titles.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${tables.map(line).join('')}</tbody></table>`;
}

/** The share of cells that have no value. */
function emptyText({ rows, columns }: TableProfile): string {
  const cells = rows * columns.length;
  return cells === 0 ? '–' : percentText(columns.reduce((sum, { nulls }) => sum + nulls, 0) / cells);
}

function tableHtml({ profile, history }: ProfileHistory, index: number): string {
  const drifts = driftedColumns(profile);
  const facts: readonly (readonly [string, string])[] = [
    ['rows', grouped(profile.rows)],
    ['columns', grouped(profile.columns.length)],
    ['cells without a value', emptyText(profile)],
    ['measured', momentText(profile.at)],
    ['environment', profile.environment],
    ['profiles kept', grouped(history.length + 1)],
  ];
  const rows = trendHtml(
    { caption: 'Rows over time', label: `Rows of ${profile.model}`, unit: 'rows' },
    inOrder(profile, history).map(({ at, rows: value }) => ({ at, value })),
    grouped,
  );
  return `<section id="t${index}">
<h2>${escapeHtml(profile.model)}</h2>
<div class="facts"><dl>${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>${rows}</div>
${drifts.length === 0 ? '<p class="calm">No drift.</p>' : `<ul class="drifts">${drifts.map(({ column, from, drift }) => `<li><span class="mark">drift</span> <b>${escapeHtml(column)}</b>, against ${earlierText(from)}: ${escapeHtml(driftText(drift))}</li>`).join('')}</ul>`}
<div class="columns">
${profile.columns.map((column, place) => columnHtml(column, { profile, history, id: `t${index}c${place}` })).join('\n')}
</div>
</section>`;
}

const earlierText = (from: 'previous' | 'baseline'): string =>
  from === 'previous' ? 'the profile before' : 'the first profile';

function columnHtml(
  column: ColumnProfile,
  { profile, history, id }: ProfileHistory & { readonly id: string },
): string {
  const before = driftedFrom(column, history);
  const isDrifted = [column.drift?.previous, column.drift?.baseline].some((each) => each?.isDrifted === true);
  const values = column.topValues?.map(({ value, rows }) => [value ?? 'NULL', rows] as const);
  const isUnique = profile.rows > 1 && (column.topValues?.[0]?.rows ?? 0) === 1;
  const sharesBefore = before?.column.topValues?.map(
    ({ value, rows }) => [value ?? 'NULL', rows / Math.max(before.rows, 1)] as const,
  );
  const parts = [
    histogramHtml(column, before?.column),
    isUnique
      ? '<p class="calm">Every value is there once.</p>'
      : valuesHtml('Most frequent values', values, {
          rows: profile.rows,
          before: column.family === 'number' ? undefined : sharesBefore && new Map(sharesBefore),
        }),
    valuesHtml(
      'Patterns',
      column.patterns?.map(({ pattern, rows }) => [pattern, rows]),
      { rows: profile.rows },
    ),
    nullsHtml(column, profile, history),
  ];
  return `<article id="${id}"${isDrifted ? ' class="drifted"' : ''}>
<h3>${escapeHtml(column.name)} <small>${escapeHtml(column.type)}</small>${isDrifted ? ' <span class="mark">drift</span>' : ''}</h3>
${driftHtml(column)}${factsHtml(column, profile.rows)}
${parts.join('\n')}
</article>`;
}

/** The column in the profile that it has drifted from, where that is kept. */
function driftedFrom(
  { name, drift }: ColumnProfile,
  history: readonly TableProfile[],
): { readonly column: ColumnProfile; readonly rows: number } | undefined {
  const id = [drift?.previous, drift?.baseline].find((each) => each?.isDrifted === true)?.profile;
  const earlier = history.find((each) => each.id === id);
  const column = earlier?.columns.find((each) => each.name === name);
  return earlier === undefined || column === undefined ? undefined : { column, rows: earlier.rows };
}

function factsHtml(column: ColumnProfile, rows: number): string {
  const number = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : numberText(value);
  const count = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : grouped(value);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['NULL', column.nulls === 0 ? 'none' : `${nullText(column, rows)} (${grouped(column.nulls)})`],
    ['distinct', distinctText(column) || undefined],
    ['duplicates', count(column.duplicates)],
    ['least', shortText(column.min)],
    ['greatest', shortText(column.max)],
    ['average', number(column.avg)],
    ['quartiles', column.quartiles?.map((each) => numberText(each)).join(' · ')],
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
  // Long ones have a line of their own.
  const kind = (value: string): string => (value.length > 14 ? ' class="wide"' : '');
  return `<dl>${known.map(([name, value]) => `<div${kind(value)}><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}${column.isWithheld === true ? '<div class="wide"><dt>values</dt><dd>hidden from you by a policy</dd></div>' : ''}</dl>`;
}

function driftHtml({ drift }: ColumnProfile): string {
  const line = (from: 'previous' | 'baseline', measures: DriftMeasures | undefined): string =>
    measures?.isDrifted === true
      ? `<p class="drift">Against ${earlierText(from)}: ${escapeHtml(driftText(measures))}</p>\n`
      : '';
  return `${line('previous', drift?.previous)}${line('baseline', drift?.baseline)}`;
}

/** The share of NULLs in each profile that is kept, oldest first. */
function nullsHtml({ name }: ColumnProfile, profile: TableProfile, history: readonly TableProfile[]): string {
  const points = inOrder(profile, history).flatMap(({ at, rows, columns }) => {
    const found = columns.find((column) => column.name === name);
    return found === undefined || rows === 0 ? [] : [{ at, value: found.nulls / rows }];
  });
  if (points.length > 1 && points.every(({ value }) => value === 0))
    return `<p class="calm">No NULLs in ${counted(points.length, 'profile')}.</p>`;
  return trendHtml(
    { caption: 'Share of NULLs over time', label: `Share of NULLs in ${name}`, unit: 'NULLs' },
    points,
    percentText,
  );
}

/** Oldest first; a profile of a time to come is of no use to one of now. */
const inOrder = (profile: TableProfile, history: readonly TableProfile[]): readonly TableProfile[] =>
  [profile, ...history].filter(({ at }) => at <= profile.at).sort((one, two) => one.at - two.at);

function shortText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cut(text);
}
