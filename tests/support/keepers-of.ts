import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of the keepers of a file. */
export function keepersOf(database: string): readonly number[] {
  return keepersWhere((kept) => kept === database);
}

/** Process ids of the keepers whose file is wanted, from what they were started with. */
export function keepersWhere(isWanted: (database: string) => boolean): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const entry = words.findIndex((word) => /[\\/]keeper\.[jt]s$/.test(word));
        return entry > 0 && isWanted(words[entry + 1] ?? '');
      } catch {
        // It has just ended.
        return false;
      }
    });
}
