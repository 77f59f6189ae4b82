/**
 * What the library is known to get wrong, found by running its output on real engines.
 *
 * Silent mistakes end in an error, because a wrong answer is worse than none; what the engine would refuse is repaired
 * in the output, call by call, at the spans our parser gives. Our own printer has the right translation of most of both.
 */
import type { Dialect } from '../dialect.ts';
import { parseQuery } from '../parse/parse-query.ts';
import { printExpression } from '../print/print-query.ts';
import { tokenize } from '../tokenize.ts';
import type { Call, Query } from '../tree.ts';

interface SilentMistake {
  readonly to: readonly Dialect[];
  /** A lower-case word in the text that was to be translated. */
  readonly word: string;
  readonly reason: string;
}

const SILENT: readonly SilentMistake[] = [
  { to: ['mysql'], word: 'date_trunc', reason: 'every unit of date_trunc becomes DATE()' },
  { to: ['mysql', 'sqlite'], word: 'date_diff', reason: 'boundaries crossed become whole units' },
  { to: ['trino'], word: 'json_query', reason: 'the array wrapper of JSON_QUERY is dropped' },
  { to: ['bigquery'], word: 'nulls', reason: 'NULLS FIRST and NULLS LAST in windows are dropped' },
  { to: ['sqlite'], word: 'group_concat', reason: 'the separator is joined to the value' },
];

/** Why this text must not go through the library on its way to `to`; undefined when nothing is known against it. */
export function silentMistake(text: string, from: Dialect, to: Dialect): string | undefined {
  const suspects = SILENT.filter((entry) => entry.to.includes(to));
  if (suspects.length === 0) return undefined;
  const words = new Set(tokenize(text, from).tokens.map((token) => token.text.toLowerCase()));
  return suspects.find((entry) => words.has(entry.word))?.reason;
}

type Patch = (call: Call) => Call | undefined;

const named = (call: Call, name: string): Call => ({ ...call, name: { ...call.name, name, quoted: false } });

/** LISTAGG … WITHIN GROUP (ORDER BY …) as STRING_AGG( … ORDER BY …). */
const stringAgg: Patch = (call) => ({
  ...named(call, 'STRING_AGG'),
  orderBy: call.withinGroup,
  withinGroup: [],
});

const PATCHES: Partial<Readonly<Record<Dialect, Readonly<Record<string, Patch>>>>> = {
  postgres: { listagg: stringAgg },
  duckdb: { listagg: stringAgg },
};

const PASSES_MAX = 8;

/** The library's output with its known mistakes repaired; text our parser cannot read is returned as it is. */
export function patched(text: string, dialect: Dialect): string {
  const patches = PATCHES[dialect];
  if (patches === undefined) return text;
  let out = text;
  // A repaired call may hold another one, which the next pass finds.
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const parsed = parseQuery(out, dialect);
    if (!parsed.ok) return out;
    const edits: { start: number; end: number; text: string }[] = [];
    for (const call of outermostCalls(parsed.value, (name) => Object.hasOwn(patches, name))) {
      const repaired = patches[call.name.name.toLowerCase()]?.(call);
      if (repaired !== undefined) edits.push({ ...call.span, text: printExpression(repaired, dialect) });
    }
    if (edits.length === 0) return out;
    for (const edit of edits.sort((a, b) => b.start - a.start))
      out = out.slice(0, edit.start) + edit.text + out.slice(edit.end);
  }
  return out;
}

/** Calls of the wanted names that are not inside another such call; a walk with a stack, since trees can be deep. */
function outermostCalls(query: Query, isWanted: (name: string) => boolean): readonly Call[] {
  const found: Call[] = [];
  const todo: unknown[] = [query];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if (isCall(node) && isWanted(node.name.name.toLowerCase())) {
      found.push(node);
      continue;
    }
    for (const value of Object.values(node)) if (typeof value === 'object') todo.push(value);
  }
  return found;
}

const isCall = (node: object): node is Call => 'kind' in node && node.kind === 'call';
