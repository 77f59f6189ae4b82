import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of the keepers of a file, from what they were started with. */
export function keepersOf(database: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return words.includes(database) && words.some((word) => /[\\/]keeper\.[jt]s$/.test(word));
      } catch {
        return false;
      }
    });
}
