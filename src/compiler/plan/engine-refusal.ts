import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';

/** What an engine said of the query of a model, at the word that it quotes. */
export function engineRefusal(model: Model, { message, diagnostic: { hint } }: Failure): Diagnostic {
  const detail = message.replace(/^The engine refused a statement: /, '').replace(/\.$/, '');
  return diagnostic(
    'plan.engine-refuses',
    { model: model.name, detail },
    { at: placeIn(model, detail) ?? model.ranges['name'], hint },
  );
}

/** Where the query says the word that the engine quotes; else the whole query. */
function placeIn({ source, ranges, dialect }: Model, detail: string): SourceRange | undefined {
  const query = ranges['query'];
  if (query === undefined || source.kind !== 'sql') return query;
  const words = [...detail.matchAll(/"([^"]+)"|\bname (\w+)/g)].map(([, quoted, named]) => quoted ?? named);
  const { tokens } = tokenize(source.query.text, dialect);
  for (const word of words) {
    const token = tokens.find(
      ({ kind, text }) => /^(?:word|name)$/.test(kind) && isSameWord(text, word ?? ''),
    );
    if (token !== undefined)
      return {
        file: query.file,
        start: source.query.start + token.start,
        end: source.query.start + token.end,
      };
  }
  return query;
}

const isSameWord = (text: string, word: string): boolean =>
  text.replaceAll(/^"|"$/g, '').toLowerCase() === word.toLowerCase();
