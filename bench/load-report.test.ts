import { expect, test } from 'vitest';
import { compareWithBars } from './load-report.ts';
import type { LoadResults, ToolResult } from './load-results.ts';
import { type Summary, summarise } from './measure.ts';

const summary = (medianMs: number, peakRssMb: number | null = null): Summary => ({
  runs: 5,
  medianMs,
  p95Ms: medianMs,
  minMs: medianMs,
  peakRssMb,
  loadAverage: 0,
});

const tool = (cold: number, leaf: number): ToolResult => ({
  kind: 'measured',
  series: {
    cold: summary(cold),
    warm: summary(leaf),
    leaf: summary(leaf),
    root: summary(leaf),
    macro: summary(leaf),
  },
});

function results(changes: Partial<LoadResults>): LoadResults {
  return {
    bench: 'load',
    at: '2026-01-01T00:00:00.000Z',
    commit: 'abc1234',
    machine: {},
    loadAverage: { before: 0, after: 0 },
    versions: {},
    project: {} as LoadResults['project'],
    notes: [],
    tools: { plinth: tool(3000, 500), sqlmesh: tool(60_000, 30_000), 'dbt parse': tool(9000, 5000) },
    floors: {
      read: { wall: summary(100), innerMs: 50, detail: {} },
      parse: { wall: summary(2000), innerMs: 1500, detail: {} },
      node: summary(40),
      version: summary(60),
    },
    sizes: [
      { models: 1000, cold: summary(3000, 400) },
      { models: 10_000, cold: summary(33_000, 1400) },
    ],
    ...changes,
  };
}

test('every bar is met when the figures reach it', () => {
  expect(compareWithBars(results({})).map(({ value, verdict }) => [value, verdict])).toEqual([
    [20, 'met'],
    [3, 'met'],
    [1.5, 'met'],
    [60, 'met'],
    [1400, 'met'],
    [1.1, 'met'],
    [20, 'met'],
  ]);
});

test('a figure short of its bar is not met', () => {
  const slow = results({
    tools: { plinth: tool(10_000, 1000), sqlmesh: tool(60_000, 30_000), 'dbt parse': tool(9000, 5000) },
    sizes: [
      { models: 1000, cold: summary(3000, 400) },
      { models: 10_000, cold: summary(45_000, 1600) },
    ],
  });
  expect(compareWithBars(slow).map(({ verdict }) => verdict)).toEqual([
    ...Array.from({ length: 6 }, () => 'not met'),
    'met',
  ]);
});

test('a bar whose peer is not available is not measured, never guessed', () => {
  const alone = compareWithBars(
    results({ tools: { plinth: tool(3000, 500), sqlmesh: { kind: 'not-available', reason: 'x' } } }),
  );
  expect(alone.filter(({ verdict }) => verdict === 'not measured').map(({ what }) => what)).toEqual([
    'cold: SQLMesh / Plinth',
    'cold: dbt parse / Plinth',
    'one leaf changed: SQLMesh / Plinth',
  ]);
});

test('a summary takes the middle, the nearest-rank 95th percentile and the highest memory', () => {
  const samples = [30, 10, 20, 40].map((wallMs, i) => ({ wallMs, peakRssMb: i === 2 ? null : 100 + i }));
  expect(summarise(samples, 1.26)).toEqual({
    runs: 4,
    medianMs: 25,
    p95Ms: 40,
    minMs: 10,
    peakRssMb: 103,
    loadAverage: 1.3,
  });
});
