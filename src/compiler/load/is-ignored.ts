import { matchesGlob } from '../../foundation/matches-glob.ts';

/**
 * Whether a path is left out by a pattern of `ignore_patterns`. As in SQLMesh a pattern is compared with the end of the path, part by part:
 * `*.draft.sql` leaves out such files in any folder, `old/*` those directly in a folder `old`. `*` and `?` stay within one part.
 */
export function isIgnored(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const wanted = pattern.replace(/^\.\//, '').split('/');
    const parts = path.split('/').slice(-wanted.length);
    return parts.length === wanted.length && parts.every((part, i) => matchesGlob(part, wanted[i] as string));
  });
}
