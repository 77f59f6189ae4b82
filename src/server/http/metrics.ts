import { DURATION_BOUNDS, type StatementFigures, type Times } from '../../domain/statement-figures.ts';
import type { CacheFigures } from '../../foundation/bounded-cache.ts';

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

interface Series {
  readonly labels: string;
  readonly buckets: number[];
  count: number;
  sum: number;
}

/** Requests by route and status, as Prometheus reads them. Routes are the table's own paths, so callers cannot make series. */
export class Metrics {
  readonly #series = new Map<string, Series>();
  inFlight = 0;
  /** Unknown credentials, and those that were refused without a lookup. */
  credentials: { readonly invalid: number; readonly refused: number } = { invalid: 0, refused: 0 };

  observe(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void {
    const labels = `method="${request.method}",route="${request.route}",status="${request.status}"`;
    let series = this.#series.get(labels);
    if (series === undefined) {
      series = { labels, buckets: BOUNDS.map(() => 0), count: 0, sum: 0 };
      this.#series.set(labels, series);
    }
    series.count++;
    series.sum += request.seconds;
    const at = BOUNDS.findIndex((bound) => request.seconds <= bound);
    if (at !== -1) (series.buckets[at] as number)++;
  }

  text(
    statements: readonly StatementFigures[] = [],
    caches: readonly Readonly<Record<string, CacheFigures>>[] = [],
  ): string {
    const lines = [
      '# HELP plinth_http_request_duration_seconds Time from the first byte of a request to the last of its answer.',
      '# TYPE plinth_http_request_duration_seconds histogram',
    ];
    for (const { labels, buckets, count, sum } of this.#series.values()) {
      let below = 0;
      for (const [i, bound] of BOUNDS.entries()) {
        below += buckets[i] as number;
        lines.push(`plinth_http_request_duration_seconds_bucket{${labels},le="${bound}"} ${below}`);
      }
      lines.push(
        `plinth_http_request_duration_seconds_bucket{${labels},le="+Inf"} ${count}`,
        `plinth_http_request_duration_seconds_sum{${labels}} ${sum}`,
        `plinth_http_request_duration_seconds_count{${labels}} ${count}`,
      );
    }
    lines.push(
      '# HELP plinth_http_requests_in_flight Requests that are being answered.',
      '# TYPE plinth_http_requests_in_flight gauge',
      `plinth_http_requests_in_flight ${this.inFlight}`,
      '# HELP plinth_failed_credentials_total Credentials that are unknown (invalid), or were not looked up because their address sent too many (refused).',
      '# TYPE plinth_failed_credentials_total counter',
      `plinth_failed_credentials_total{outcome="invalid"} ${this.credentials.invalid}`,
      `plinth_failed_credentials_total{outcome="refused"} ${this.credentials.refused}`,
      '# HELP process_resident_memory_bytes Resident memory of the server process.',
      '# TYPE process_resident_memory_bytes gauge',
      `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
      ...statementLines(statements),
      ...cacheLines(caches),
      '',
    );
    return lines.join('\n');
  }
}

/** Of all products together: a reader of the metrics need not know which products there are. */
function statementLines(figures: readonly StatementFigures[]): readonly string[] {
  const sum = (of: (each: StatementFigures) => number): number =>
    figures.reduce((total, each) => total + of(each), 0);
  const times = (of: (each: StatementFigures) => Times): Times => ({
    buckets: DURATION_BOUNDS.map((_, at) => sum((each) => of(each).buckets[at] ?? 0)),
    count: sum((each) => of(each).count),
    seconds: sum((each) => of(each).seconds),
  });
  return [
    '# HELP plinth_statements_running Statements that the engine works on.',
    '# TYPE plinth_statements_running gauge',
    `plinth_statements_running ${sum(({ running }) => running)}`,
    '# HELP plinth_statements_queued Statements that wait for their turn.',
    '# TYPE plinth_statements_queued gauge',
    `plinth_statements_queued ${sum(({ queued }) => queued)}`,
    '# HELP plinth_statements_total Statements that ended, by their last status.',
    '# TYPE plinth_statements_total counter',
    ...(['SUCCESS', 'FAILED', 'CANCELLED'] as const).map(
      (status) => `plinth_statements_total{status="${status}"} ${sum(({ counts }) => counts.ended[status])}`,
    ),
    '# HELP plinth_statements_by_strategy_total Statements that ended, by how they got their answer.',
    '# TYPE plinth_statements_by_strategy_total counter',
    ...(['execute', 'from_cache', 'await_primary'] as const).map(
      (strategy) =>
        `plinth_statements_by_strategy_total{strategy="${strategy}"} ${sum(({ counts }) => counts.byStrategy[strategy])}`,
    ),
    ...histogram('plinth_statement_queued_seconds', {
      help: 'Time from the submission of a statement to its beginning.',
      times: times(({ counts }) => counts.queued),
    }),
    ...histogram('plinth_statement_execution_seconds', {
      help: 'Time from the beginning of a statement to its end.',
      times: times(({ counts }) => counts.executed),
    }),
  ];
}

/** Of all products together, by the name of the cache. */
function cacheLines(products: readonly Readonly<Record<string, CacheFigures>>[]): readonly string[] {
  const names = [...new Set(products.flatMap((caches) => Object.keys(caches)))];
  const sums = (metric: string, of: (each: CacheFigures) => number, label = ''): readonly string[] =>
    names.map((name) => {
      const sum = products.reduce(
        (total, { [name]: each }) => total + (each === undefined ? 0 : of(each)),
        0,
      );
      return `${metric}{cache="${name}"${label}} ${sum}`;
    });
  return [
    '# HELP plinth_cache_entries Entries in the caches of the products.',
    '# TYPE plinth_cache_entries gauge',
    ...sums('plinth_cache_entries', ({ entries }) => entries),
    '# HELP plinth_cache_entries_max Entries that the caches may have.',
    '# TYPE plinth_cache_entries_max gauge',
    ...sums('plinth_cache_entries_max', ({ entriesMax }) => entriesMax),
    '# HELP plinth_cache_lookups_total Lookups in the caches, by whether the entry was there.',
    '# TYPE plinth_cache_lookups_total counter',
    ...sums('plinth_cache_lookups_total', ({ hits }) => hits, ',outcome="hit"'),
    ...sums('plinth_cache_lookups_total', ({ misses }) => misses, ',outcome="miss"'),
  ];
}

function histogram(
  name: string,
  { help, times }: { readonly help: string; readonly times: Times },
): readonly string[] {
  let below = 0;
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...DURATION_BOUNDS.map((bound, at) => {
      below += times.buckets[at] ?? 0;
      return `${name}_bucket{le="${bound}"} ${below}`;
    }),
    `${name}_bucket{le="+Inf"} ${times.count}`,
    `${name}_sum ${times.seconds}`,
    `${name}_count ${times.count}`,
  ];
}
