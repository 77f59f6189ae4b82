/** The words of a text; lists of names are written and compared in lower case. */
export function wordsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
