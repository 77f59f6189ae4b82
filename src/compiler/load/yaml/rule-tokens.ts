/** One unit of a rule's text; offsets are into the text. */
export interface RuleToken {
  readonly kind: 'word' | 'number' | 'string' | 'symbol' | 'end';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const TOKEN =
  /\s+|([A-Za-z_*][\w*$]*)|(\d+(?:\.\d+)?|\.\d+)|("[^"]*"|'[^']*'|`[^`]*`)|(<=|>=|!=|<>|==|[<>=(),.:%[\]-])|(.)/gsy;

/** Cuts a rule into words, numbers, quoted names and signs. A character that rules do not have becomes a symbol, for the parser to refuse. */
export function ruleTokens(text: string): readonly RuleToken[] {
  const tokens: RuleToken[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const [whole, word, number, quoted, symbol, other] = match;
    const kind =
      word !== undefined
        ? 'word'
        : number !== undefined
          ? 'number'
          : quoted !== undefined
            ? 'string'
            : (symbol ?? other) !== undefined
              ? 'symbol'
              : undefined;
    if (kind !== undefined)
      tokens.push({ kind, text: whole, start: match.index, end: match.index + whole.length });
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length });
  return tokens;
}
