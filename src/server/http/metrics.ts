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

  text(): string {
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
      '# HELP process_resident_memory_bytes Resident memory of the server process.',
      '# TYPE process_resident_memory_bytes gauge',
      `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
      '',
    );
    return lines.join('\n');
  }
}
