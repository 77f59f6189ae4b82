import { expect, test } from 'vitest';
import { DURATION_BOUNDS, type StatementFigures, type Times } from '../../domain/statement-figures.ts';
import { Metrics } from './metrics.ts';

const times = (at: number, seconds: number): Times => ({
  buckets: DURATION_BOUNDS.map((_, index) => (index === at ? 1 : 0)),
  // One more than the classes have: it took longer than the last bound.
  count: 2,
  seconds,
});

const figures = (running: number): StatementFigures => ({
  running,
  queued: 2,
  counts: {
    ended: { SUCCESS: 5, FAILED: 1, CANCELLED: 0 },
    byStrategy: { execute: 4, from_cache: 2, await_primary: 0 },
    queued: times(0, 400),
    executed: times(3, 500),
  },
  problem: undefined,
});

test('statements of all products are told together, without the names of products', () => {
  const lines = new Metrics().text([figures(1), figures(3)]).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'plinth_statements_running 4',
      'plinth_statements_queued 4',
      'plinth_statements_total{status="SUCCESS"} 10',
      'plinth_statements_total{status="CANCELLED"} 0',
      'plinth_statements_by_strategy_total{strategy="from_cache"} 4',
      'plinth_statement_execution_seconds_bucket{le="0.025"} 0',
      'plinth_statement_execution_seconds_bucket{le="0.05"} 2',
      'plinth_statement_execution_seconds_bucket{le="300"} 2',
      'plinth_statement_execution_seconds_bucket{le="+Inf"} 4',
      'plinth_statement_execution_seconds_sum 1000',
      'plinth_statement_queued_seconds_bucket{le="0.005"} 2',
    ]),
  );
});

test('caches of all products are added up, by name', () => {
  const cache = { entries: 1, entriesMax: 10, hits: 3, misses: 4 };
  const lines = new Metrics().text([], [{ views: cache, parts: cache }, { views: cache }]).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'plinth_cache_entries{cache="views"} 2',
      'plinth_cache_entries{cache="parts"} 1',
      'plinth_cache_entries_max{cache="views"} 20',
      'plinth_cache_lookups_total{cache="views",outcome="hit"} 6',
      'plinth_cache_lookups_total{cache="parts",outcome="miss"} 4',
    ]),
  );
});

test('a server that nobody asked anything says so in figures', () => {
  expect(new Metrics().text()).toContain('plinth_statements_total{status="SUCCESS"} 0\n');
});

test('every line is one that Prometheus reads, and each name is declared once', () => {
  const metrics = new Metrics();
  metrics.observe({ method: 'GET', route: '/x', status: 200, seconds: 0.01 });
  const lines = metrics
    .text([figures(1)], [{ views: { entries: 1, entriesMax: 2, hits: 3, misses: 4 } }])
    .trimEnd()
    .split('\n');
  for (const line of lines)
    expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? [\d.e+-]+)$/);
  const declared = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2]);
  expect(new Set(declared).size).toBe(declared.length);
});
