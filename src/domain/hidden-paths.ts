/*
 * Paths of this process that callers over a network do not see: a path in words for them is relative to the folder of
 * its product, or is called by what it is for.
 *
 *   /srv/shop/.plinth/state.db ─▶ .plinth/state.db        /var/lib/other.db ─▶ the state file
 */

interface HiddenPath {
  readonly path: string;
  readonly pattern: RegExp;
  readonly shown: string;
}

/** The longest first: one may lie in another. */
let hidden: readonly HiddenPath[] = [];

/** Notes absolute paths with what is shown in their place; for a folder with nothing, what is in it is shown relative to it. */
export function noteHiddenPaths(found: Iterable<readonly [path: string, shown: string]>): void {
  const known = new Set(hidden.map(({ path }) => path));
  const more = [...new Map(found)].flatMap(([path, shown]) =>
    path.length < 2 || known.has(path) ? [] : [{ path, pattern: patternOf(path), shown }],
  );
  if (more.length > 0) hidden = [...hidden, ...more].sort((a, b) => b.path.length - a.path.length);
}

/** The text without them. */
export function withoutHiddenPaths(text: string): string {
  if (!text.includes('/')) return text;
  let reported = text;
  for (const { path, pattern, shown } of hidden)
    if (reported.includes(path))
      reported = reported.replaceAll(pattern, (_, slash: string | undefined) =>
        shown === '' ? (slash === undefined ? 'the project folder' : '') : `${shown}${slash ?? ''}`,
      );
  return reported;
}

/** Not where it is a part of another path or word; with what follows it in the same name, since that reveals it, too. */
function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  return new RegExp(`(?:\\bfile://|(?<![\\w./-]))${escaped}(?:(/)|(?!\\w))`, 'g');
}
