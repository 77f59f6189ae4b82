/** What the variables of a test say: when it takes place, and what the project's variables are in it. */
import { exclusiveEnd, parseTime } from '../../foundation/time/relative-date.ts';
import { timeMacroName } from '../../foundation/time/time-macro.ts';
import type { Data, DataRecord } from '../../foundation/yaml/data.ts';
import type { ExpansionContext } from '../macros/expansion.ts';

const DAY_MS = 86_400_000;

export interface TestVariables {
  /** The first day of 1970 where the test does not say when, as in SQLMesh. */
  readonly times: ExpansionContext['times'];
  /** The time at which the clock stands still; undefined when the test does not say. */
  readonly executionTime?: number;
  /** The others, by lower-case name. */
  readonly variables: ExpansionContext['variables'];
}

/** Which time a variable sets: by its own name, or by that of a macro that shows it (`start_ds`); undefined for any other variable. */
export function testTimeOf(name: string): 'start' | 'end' | 'execution' | undefined {
  const lower = name.toLowerCase();
  if (lower === 'start' || lower === 'end') return lower;
  if (lower === 'execution_time' || lower === 'latest') return 'execution';
  const macro = timeMacroName(lower);
  if (macro === undefined) return undefined;
  const prefix = macro.split('_')[0];
  return prefix === 'start' || prefix === 'end' ? prefix : 'execution';
}

/** Reads the variables of a test; relative times count from `now`. Times that cannot be read are reported when the test is loaded. */
export function testVariables(written: DataRecord, now: number): TestVariables {
  const found: { start?: number; end?: number; execution?: number } = {};
  const variables: Record<string, Data> = {};
  for (const [name, value] of Object.entries(written)) {
    const time = testTimeOf(name);
    if (time === undefined) {
      variables[name.toLowerCase()] = value;
      continue;
    }
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const parsed = parseTime(value, now);
    if (parsed.kind === 'time') found[time] = time === 'end' ? exclusiveEnd(parsed) : parsed.at;
  }
  const { start = 0, execution } = found;
  const end = found.end ?? DAY_MS;
  return {
    times: { start, end, execution: execution ?? 0 },
    ...(execution === undefined ? {} : { executionTime: execution }),
    variables: variables as ExpansionContext['variables'],
  };
}
