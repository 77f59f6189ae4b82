import { foldPart, modelName, type NamePart } from '../../../domain/model-name.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import type { Token } from '../../../foundation/sql/token.ts';
import { identifierText, stringText, tokenize } from '../../../foundation/sql/tokenize.ts';
import type { BlockReader } from './block.ts';
import { isSymbol, type Slice, sizeOf, tokenAt, unwrapAll } from './slice.ts';

/** The parts of a dotted name; undefined when the slice is not one. BigQuery's dashes and its one pair of backticks around all parts are understood. */
export function nameParts(slice: Slice, dialect: Dialect): readonly NamePart[] | undefined {
  const parts: NamePart[] = [];
  let i = slice.from;
  while (i < slice.to) {
    const token = slice.tokens[i] as Token;
    if (token.kind === 'name') {
      const name = identifierText(token);
      if (dialect === 'bigquery')
        for (const piece of name.split('.')) parts.push({ name: piece, quoted: true });
      else parts.push({ name, quoted: true });
      i++;
    } else if (token.kind === 'string' && token.text.startsWith('"')) {
      // Where double quotes are strings, people still write names in them.
      parts.push({ name: token.text.slice(1, -1), quoted: true });
      i++;
    } else if (token.kind === 'word' || (token.kind === 'number' && parts.length > 0)) {
      let name = token.text;
      let end = token.end;
      i++;
      const isJoined = (next: Token): boolean =>
        next.start === end &&
        (next.kind === 'word' || next.kind === 'number' || (dialect === 'bigquery' && isSymbol(next, '-')));
      while (i < slice.to && isJoined(slice.tokens[i] as Token)) {
        const next = slice.tokens[i] as Token;
        name += next.text;
        end = next.end;
        i++;
      }
      // `proj-1.data` is cut as the number `1.` and a word: the dots inside a run separate parts too.
      for (const piece of name.replace(/^\./, '').split('.')) parts.push({ name: piece, quoted: false });
    } else return undefined;
    if (i === slice.to) return parts;
    if (!isSymbol(slice.tokens[i], '.')) return undefined;
    i++;
  }
  return undefined;
}

/** A column as an option names it (`ds`, `"Ds"`, `'ds'`, `(ds)`), folded; undefined when it is an expression. */
export function columnName(wrapped: Slice, reader: BlockReader): string | undefined {
  const slice = unwrapAll(wrapped, () => true);
  const token = tokenAt(slice, 0);
  if (sizeOf(slice) !== 1) return undefined;
  if (token.kind === 'string') {
    const text = stringText(token, reader.dialect);
    const [only, end] = tokenize(text, reader.dialect).tokens;
    if (only === undefined || end?.kind !== 'end' || (only.kind !== 'word' && only.kind !== 'name'))
      return text.toLowerCase();
    return foldPart({ name: identifierText(only), quoted: only.kind === 'name' }, reader.dialect);
  }
  if (token.kind !== 'word' && token.kind !== 'name') return undefined;
  return foldPart({ name: identifierText(token), quoted: token.kind === 'name' }, reader.dialect);
}

/** A table named in a list such as `depends_on`, quoted or not, as maps are keyed. */
export function tableName(
  slice: Slice,
  reader: BlockReader,
  defaultCatalog: string | undefined,
): string | undefined {
  const token = tokenAt(slice, 0);
  if (sizeOf(slice) === 1 && token.kind === 'string') {
    const text = stringText(token, reader.dialect);
    const { tokens } = tokenize(text, reader.dialect);
    const parts = nameParts(
      { source: { file: slice.source.file, text }, tokens, from: 0, to: tokens.length - 1 },
      reader.dialect,
    );
    return parts && modelName(parts, reader.dialect, defaultCatalog);
  }
  const parts = nameParts(slice, reader.dialect);
  return parts && modelName(parts, reader.dialect, defaultCatalog);
}
