import type { DataRecord } from '../../foundation/yaml/data.ts';

/** What the HTTP door accepts; `server.limits` of config.yaml changes each. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly requestsPerSecond: number;
}

const DEFAULTS: HttpLimits = { bodyBytes: 4 * 1_048_576, requestsPerSecond: 100 };

export function limitsOf(server: DataRecord): HttpLimits {
  const given = server['limits'];
  const record =
    typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as DataRecord) : {};
  const number = (name: string, fallback: number): number => {
    const value = record[name];
    return typeof value === 'number' && value > 0 ? value : fallback;
  };
  return {
    bodyBytes: number('body_bytes', DEFAULTS.bodyBytes),
    requestsPerSecond: number('requests_per_second', DEFAULTS.requestsPerSecond),
  };
}
