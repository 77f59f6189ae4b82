/**
 * Whether a path is left out by a pattern of `ignore_patterns`. As in SQLMesh a pattern is compared with the end of the path, part by part:
 * `*.draft.sql` leaves out such files in any folder, `old/*` those directly in a folder `old`. `*` and `?` stay within one part.
 */
export function isIgnored(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const wanted = pattern.replace(/^\.\//, '').split('/');
    const parts = path.split('/').slice(-wanted.length);
    return parts.length === wanted.length && parts.every((part, i) => matches(part, wanted[i] as string));
  });
}

/** Two pointers and one place to go back to: linear in practice, and never worse than the product of the lengths. */
function matches(text: string, pattern: string): boolean {
  let [t, p, star, back] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') [star, back, p] = [p, t, p + 1];
    else if (pattern[p] === '?' || pattern[p] === text[t]) [t, p] = [t + 1, p + 1];
    else if (star >= 0) [p, back, t] = [star + 1, back + 1, back + 1];
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
