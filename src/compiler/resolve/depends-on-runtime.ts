import type { SqlText } from '../../domain/sql-text.ts';
import { timeMacroName } from '../../foundation/time/time-macro.ts';
import { operatorOf } from '../macros/operators/operators.ts';

/** Macros that decide by their first argument, and those that decide by any. */
const BY_CONDITION: ReadonlySet<string> = new Set(['if', 'with', 'join', 'where', 'group_by', 'having', 'order_by', 'limit']); // biome-ignore format: a list
const BY_ALL: ReadonlySet<string> = new Set(['eval', 'filter', 'reduce']);

/**
 * Whether what a text expands to may depend on the interval or the stage in more than the values that stand in it. Then
 * the expansion at load, with fixed times, does not show everything that can be executed:
 *
 *   WHERE d >= @start_ds                           no: another day, the same query
 *   @IF(@start_ds < '2024-01-01', old, new)        yes: one of the two is never seen at load
 *
 * Where times come in through @DEF, every deciding macro counts.
 */
export function dependsOnRuntime(statements: readonly SqlText[]): boolean {
  const isTimed = statements.some(({ text }) => /@def\s*\(/i.test(text) && hasRuntimeName(defined(text)));
  return statements.some((statement) => {
    const { text, isJinja } = statement;
    if (isJinja && /\{%-?\s*(?:if|for|set|macro)\b/.test(text)) return hasRuntimeName(text);
    return /@\{?runtime_stage\b/i.test(text) || decidesByTime(text, isTimed);
  });
}

function decidesByTime(text: string, isTimed: boolean): boolean {
  for (const match of text.matchAll(/@(\w+)\s*\(/g)) {
    const name = (match[1] as string).toLowerCase();
    // Functions of users may do anything with what they are given.
    const isUsers = operatorOf(name) === undefined;
    if (!isUsers && !BY_CONDITION.has(name) && !BY_ALL.has(name)) continue;
    const given = argumentsAt(text, match.index + match[0].length, BY_CONDITION.has(name));
    if (hasRuntimeName(given) || (isTimed && given.includes('@'))) return true;
  }
  return false;
}

/** The text of all @DEFs. */
function defined(text: string): string {
  return [...text.matchAll(/@def\s*\(/gi)]
    .map((match) => argumentsAt(text, match.index + match[0].length, false))
    .join('\n');
}

/** From behind an opening bracket to its closing one, or to the first comma of the same level. */
function argumentsAt(text: string, from: number, isFirstOnly: boolean): string {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const character = text[i] as string;
    if (character === "'") {
      const end = text.indexOf("'", i + 1);
      if (end < 0) break;
      i = end;
    } else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character) && --depth < 0) return text.slice(from, i);
    else if (character === ',' && depth === 0 && isFirstOnly) return text.slice(from, i);
  }
  return text.slice(from);
}

/** A time of the interval or the stage, by name: `@start_ds`, `@{end_ts}`, `start_ds` of Jinja. */
function hasRuntimeName(text: string): boolean {
  for (const [word] of text.matchAll(/[a-z_]\w*/gi))
    if (word.toLowerCase() === 'runtime_stage' || timeMacroName(word.toLowerCase()) !== undefined)
      return true;
  return false;
}
