import type { YamlScalar } from './tree.ts';

/** Pairs of text offset and file offset for a scalar's text: one pair when it stands in the file as it is, more where quotes, escapes or line ends were resolved. */
export function piecesOf(source: string, scalar: YamlScalar): readonly number[] {
  const { style, start, end, text } = scalar;
  if (scalar.shownAs !== undefined) return [];
  if (style === 'plain' && end - start === text.length) return [0, start];
  if ((style === 'single' || style === 'double') && end - start - 2 === text.length) return [0, start + 1];
  return align(source, scalar);
}

/** Walks text and source side by side; where they part, a new pair begins. Blanks of the source that the text lacks are skipped. */
function align(source: string, scalar: YamlScalar): readonly number[] {
  const { style, text } = scalar;
  const pieces: number[] = [];
  let shift = Number.NaN;
  let j = scalar.start;
  if (style === 'single' || style === 'double') j++;
  if (style === 'literal' || style === 'folded') j = source.indexOf('\n', j) + 1;
  for (let i = 0; i < text.length && j < scalar.end; ) {
    const wanted = text[i] as string;
    const found = source[j] as string;
    const escaped =
      style === 'double' && found === '\\'
        ? escapeLength(source, j)
        : style === 'single' && found === "'"
          ? 2
          : 0;
    const isMatch = escaped > 0 || wanted === found || (wanted === ' ' && found === '\n');
    if (!isMatch) {
      if (!/\s/.test(found)) break;
      j++;
      continue;
    }
    if (j - i !== shift) {
      pieces.push(i, j);
      shift = j - i;
    }
    // An escaped line end stands for nothing.
    if (escaped === 2 && source[j + 1] === '\n') {
      j += 2;
      continue;
    }
    const isPair = escaped === 10 && wanted >= '\ud800' && wanted <= '\udbff';
    i += isPair ? 2 : 1;
    j += escaped > 0 ? escaped : 1;
  }
  return pieces;
}

function escapeLength(source: string, at: number): number {
  const name = source[at + 1];
  return name === 'x' ? 4 : name === 'u' ? 6 : name === 'U' ? 10 : 2;
}
