import type { Manifest } from './generate/write-project.ts';
import type { Summary } from './measure.ts';

export type Scenario = 'cold' | 'warm' | 'leaf' | 'root' | 'macro';

/** The figures of one tool, or the reason why there are none. */
export type ToolResult =
  | { readonly kind: 'measured'; readonly series: Readonly<Record<Scenario, Summary>> }
  | { readonly kind: 'not-available'; readonly reason: string };

/** A floor measured as a process (`wall`) and inside it, without starting Node and the library (`innerMs`). */
export interface Floor {
  readonly wall: Summary;
  readonly innerMs: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Cold load of one project size, for memory and growth. */
export interface SizePoint {
  readonly models: number;
  readonly cold: Summary;
}

/** All that `bench/results/load.json` holds except the bars. */
export interface LoadResults {
  readonly bench: 'load';
  readonly at: string;
  readonly commit: string;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly loadAverage: { readonly before: number; readonly after: number };
  readonly versions: Readonly<Record<string, string>>;
  readonly project: Manifest;
  readonly notes: readonly string[];
  readonly tools: Readonly<Record<string, ToolResult>>;
  readonly floors: {
    readonly read: Floor;
    readonly parse: Floor;
    readonly node: Summary;
    readonly version: Summary | null;
  };
  readonly sizes: readonly SizePoint[];
}
