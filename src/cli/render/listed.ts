import type { Terminal } from '../terminal.ts';
import { counted } from './table.ts';

/** Longer lists are cut, unless `--verbose`. */
const LIST_MAX = 60;

export function cut<Item>(terminal: Terminal, items: readonly Item[]): readonly Item[] {
  return terminal.isVerbose || items.length <= LIST_MAX ? items : items.slice(0, LIST_MAX - 10);
}

/** What a list that was cut does not show. */
export const leftOut = (count: number, noun: string): readonly string[] =>
  count <= 0 ? [] : [`    … and ${counted(count, noun)} more; --verbose shows all`];

/** Names in one line, the first of many. */
export function listed(names: readonly string[]): string {
  return names.length <= 6
    ? names.join(', ')
    : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;
}
