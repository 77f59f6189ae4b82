import type { Dialect } from '../dialect.ts';
import { identifierText, tokenize } from '../tokenize.ts';
import { folded, nameFold } from './canonical-writer.ts';

/**
 * The canonical text of statements we do not parse (pre- and post-statements): comments, white space, trailing semicolons and the case of words dropped.
 * A quoted name stays apart from a bare word, which may be a keyword; text that cannot be cut is kept as it is from there on.
 */
export function canonicalTokens(text: string, dialect: Dialect): string {
  const { tokens, error } = tokenize(text, dialect);
  const fold = nameFold(dialect);
  const isExact = fold === 'exact';
  let out = '';
  let semicolons = 0;
  let glue = '';
  for (const token of tokens) {
    if (token.kind === 'end') break;
    if (token.text === ';') {
      if (out !== '') semicolons++;
      continue;
    }
    if (semicolons > 0) out += ' ;';
    semicolons = 0;
    out += glue;
    glue = ' ';
    switch (token.kind) {
      case 'word':
      case 'number':
        out += isExact ? token.text : token.text.toLowerCase();
        break;
      case 'name':
        out += JSON.stringify(folded(identifierText(token), true, fold));
        break;
      case 'at':
        out += '@';
        glue = '';
        break;
      default:
        out += token.text === '!=' ? '<>' : token.text;
    }
  }
  return error === undefined ? out : `${out}${glue}${text.slice(error.start)}`;
}
