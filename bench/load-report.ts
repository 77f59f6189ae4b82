import type { LoadResults, Scenario, ToolResult } from './load-results.ts';

/** One bar of the issue, the figure beside it, and whether it holds; `value` is null when a side was not measured. */
export interface ComparedBar {
  readonly what: string;
  readonly value: number | null;
  readonly bar: string;
  readonly verdict: 'met' | 'not met' | 'not measured';
}

const SCENARIOS: readonly Scenario[] = ['cold', 'warm', 'leaf', 'root', 'macro'];

/** Compares the figures with the bars; every value is a ratio or a difference of figures of the same run. */
export function compareWithBars(results: LoadResults): readonly ComparedBar[] {
  const { tools, floors, sizes } = results;
  const ms = (name: string, scenario: Scenario): number | null => {
    const tool = tools[name];
    return tool?.kind === 'measured' ? tool.series[scenario].medianMs : null;
  };
  const ratio = (over: number | null, under: number | null): number | null =>
    over === null || under === null ? null : over / under;
  const bar = (what: string, value: number | null, sign: '≥' | '≤' | '>', limit: number): ComparedBar => {
    const holds =
      value !== null && (sign === '≥' ? value >= limit : sign === '>' ? value > limit : value <= limit);
    const verdict = value === null ? 'not measured' : holds ? 'met' : 'not met';
    return {
      what,
      value: value === null ? null : Math.round(value * 100) / 100,
      bar: `${sign} ${limit}`,
      verdict,
    };
  };
  const cold = ms('plinth', 'cold');
  const first = sizes[0];
  const last = sizes.at(-1);
  const growth =
    first === undefined || last === undefined || first === last
      ? null
      : last.cold.medianMs / last.models / (first.cold.medianMs / first.models);
  return [
    bar('cold: SQLMesh / Plinth', ratio(ms('sqlmesh', 'cold'), cold), '≥', 15),
    bar('cold: dbt parse / Plinth', ratio(ms('dbt parse', 'cold'), cold), '>', 1),
    bar(
      'cold: Plinth / parsing with the SQL library alone',
      ratio(cold, floors.parse.wall.medianMs),
      '≤',
      2.5,
    ),
    bar('one leaf changed: SQLMesh / Plinth', ratio(ms('sqlmesh', 'leaf'), ms('plinth', 'leaf')), '≥', 40),
    bar(`cold, ${last?.models ?? 10_000} models: peak memory in MB`, last?.cold.peakRssMb ?? null, '≤', 1500),
    bar(`time a model, ${last?.models ?? 10_000} / ${first?.models ?? 1000} models`, growth, '≤', 1.2),
    bar(
      'plinth --version − node -e 0, in ms',
      floors.version === null ? null : floors.version.medianMs - floors.node.medianMs,
      '≤',
      50,
    ),
  ];
}

/** Prints the medians of every tool, the floors, the sizes, and the bars. */
export function printReport(results: LoadResults, bars: readonly ComparedBar[]): void {
  const seconds = (value: number): string => `${(value / 1000).toFixed(2)} s`;
  const { floors } = results;
  const rows: string[][] = [['', ...SCENARIOS, 'peak MB', 'runs']];
  const reasons: string[] = [];
  for (const [name, tool] of Object.entries(results.tools)) rows.push(toolRow(name, tool, seconds, reasons));
  print(rows);
  for (const reason of reasons) console.log(reason);
  console.log('');
  print([
    ['floor', 'process', 'inside'],
    ['reading the files', seconds(floors.read.wall.medianMs), seconds(floors.read.innerMs)],
    [
      `parsing ${floors.parse.detail.parsed} queries`,
      seconds(floors.parse.wall.medianMs),
      seconds(floors.parse.innerMs),
    ],
    ['node -e 0', seconds(floors.node.medianMs), ''],
    ['plinth --version', floors.version === null ? 'not available' : seconds(floors.version.medianMs), ''],
  ]);
  if (results.sizes.length > 0) {
    console.log('');
    print([
      ['plinth, models', 'cold', 'peak MB'],
      ...results.sizes.map(({ models, cold }) => [
        `${models}`,
        seconds(cold.medianMs),
        `${cold.peakRssMb ?? '–'}`,
      ]),
    ]);
  }
  console.log('');
  print([
    ['bar', 'measured', 'wanted', ''],
    ...bars.map(({ what, value, bar, verdict }) => [what, value === null ? '–' : `${value}`, bar, verdict]),
  ]);
  const { before, after } = results.loadAverage;
  console.log(
    `\nload average ${before.toFixed(1)} before, ${after.toFixed(1)} after; Plinth's own work is part of it`,
  );
}

function toolRow(
  name: string,
  tool: ToolResult,
  seconds: (ms: number) => string,
  reasons: string[],
): string[] {
  if (tool.kind === 'not-available') {
    reasons.push(`${name}: ${tool.reason}`);
    return [name, 'not available'];
  }
  const peaks = SCENARIOS.map((scenario) => tool.series[scenario].peakRssMb).filter((peak) => peak !== null);
  return [
    name,
    ...SCENARIOS.map((scenario) => seconds(tool.series[scenario].medianMs)),
    peaks.length === 0 ? '–' : `${Math.max(...peaks)}`,
    `${tool.series.cold.runs}`,
  ];
}

function print(rows: readonly (readonly string[])[]): void {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  for (const row of rows)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    );
}
