/** More endings than this cost more than the expression. */
const ENDINGS_MAX = 8;

/**
 * The texts that a regular expression asks a value to end with, where it asks nothing else: `[.](com|org)$` asks for `.com` or `.org`.
 * Undefined for all other expressions, and whenever that is not certain.
 */
export function literalEndings(pattern: string): readonly string[] | undefined {
  const ended = /^(?<body>.+)\$$/su.exec(pattern)?.groups?.['body'];
  if (ended === undefined) return undefined;
  let endings: readonly string[] = [''];
  for (let at = 0; at < ended.length; ) {
    const part = PART.exec(ended.slice(at))?.groups;
    if (part === undefined) return undefined;
    const choices = choicesOf(part);
    if (endings.length * choices.length > ENDINGS_MAX) return undefined;
    endings = endings.flatMap((ending) => choices.map((choice) => ending + choice));
    at += part['all']?.length ?? 0;
  }
  return endings;
}

/** ASCII that means itself, a class of one such sign or an escaped one, or a group of words; nothing that repeats. */
const PART =
  /^(?<all>(?<plain>[\w@ ,;:=%&#~!"'<>/-])|\\(?<escaped>[.$@/+*?()[\]{}|^-])|\[(?<only>[\w@.$/+*?(){}| -])\]|\((?:\?:)?(?<words>\w+(?:\|\w+)*)\))/;

function choicesOf({
  plain,
  escaped,
  only,
  words,
}: Readonly<Record<string, string | undefined>>): readonly string[] {
  return words?.split('|') ?? [plain ?? escaped ?? only ?? ''];
}
