/**
 * What is certainly wrong with a regular expression of an engine: a parenthesis or bracket that is not closed, something repeated
 * that is not there. Engines know more than JavaScript, and other escapes: flags in front and groups with names are theirs.
 */
export function regexProblem(pattern: string): string | undefined {
  const plain = pattern.replace(/^\(\?[a-zA-Z]+(?:-[a-zA-Z]+)?\)/, '').replaceAll('(?P<', '(?<');
  try {
    new RegExp(plain);
    return undefined;
  } catch (error) {
    const words = (error as Error).message.split(': ').at(-1) ?? '';
    return words.replace(/\.$/, '').toLowerCase();
  }
}
