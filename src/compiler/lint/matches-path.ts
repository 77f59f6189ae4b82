import { matchesGlob } from '../../foundation/matches-glob.ts';

/** Whether a path is one of a pattern: `*` and `?` stay within a folder, `**` is any number of folders. A folder alone means all in it. */
export function matchesPath(path: string, pattern: string): boolean {
  const parts = pattern
    .replace(/^\.?\//, '')
    .replace(/\/$/, '/**')
    .split('/');
  return matchesParts(path.split('/'), parts);
}

function matchesParts(path: readonly string[], pattern: readonly string[]): boolean {
  const [wanted, ...rest] = pattern;
  if (wanted === undefined) return path.length === 0;
  if (wanted !== '**')
    return path.length > 0 && matchesGlob(path[0] ?? '', wanted) && matchesParts(path.slice(1), rest);
  // Several `**` in a row mean the same as one.
  if (rest[0] === '**') return matchesParts(path, rest);
  return path.some((_, i) => matchesParts(path.slice(i), rest)) || rest.length === 0;
}
