import type { ModelDefinition } from '../../domain/model.ts';
import type { QueryNodes } from '../../foundation/sql/query-nodes.ts';
import type { Edit } from '../../foundation/sql/splice.ts';
import type { Query, Span } from '../../foundation/sql/tree.ts';
import type { QueryToInspect } from '../resolve/rule-hit.ts';

/** Something seen in a query; `fix` replaces a part of its text, which may hold macros only where the rule knows which. */
export interface QueryHit {
  readonly span: Span;
  readonly words?: readonly string[];
  readonly fix?: Edit & { readonly isOfFile?: true };
}

/** A query as rules look at it. Spans are of `text`, which is the query without macros. */
export interface InspectedQuery {
  readonly query: Query;
  readonly text: string;
  readonly definition: ModelDefinition;
  /** Whether a macro asked for the interval or the time of execution. */
  readonly readsTimes: boolean;
  /** All nodes of a kind, in the order of the text. */
  readonly nodes: QueryNodes['of'];
  /** A SELECT and what is under it, without the queries inside it. */
  readonly own: QueryNodes['own'];
  /** Common tables by lower-case name, wherever they are defined; undefined for a name that is defined twice. */
  readonly commonTables: ReadonlyMap<string, Query | undefined>;
  /** The user's own text of a span; undefined where a macro wrote a part of it. */
  readonly written: (span: Span) => string | undefined;
  /** The user's text at a span, macros as they are written. */
  readonly source: (span: Span) => string;
  /** How often a word stands in the text as the user wrote it: macros may choose which part is used. */
  readonly mentions: (word: string) => number;
}

export function inspectedQuery(
  definition: ModelDefinition,
  { parsed: { query, text, map }, nodes, readsTimes }: QueryToInspect,
): InspectedQuery {
  const commonTables = new Map<string, Query | undefined>();
  for (const each of nodes.of('query'))
    for (const { name, query: inner } of each.with?.tables ?? []) {
      const word = name.name.toLowerCase();
      commonTables.set(word, commonTables.has(word) ? undefined : inner);
    }
  const own = definition.source.kind === 'sql' ? definition.source.query : undefined;
  const source = (span: Span): string => {
    const { start, end } = map.original(span.start, span.end);
    return own === undefined ? '' : own.text.slice(start - own.start, end - own.start);
  };
  return {
    query,
    text,
    definition,
    readsTimes,
    nodes: nodes.of,
    own: nodes.own,
    commonTables,
    written: (span) => {
      const found = source(span);
      return found === text.slice(span.start, span.end) ? found : undefined;
    },
    source,
    mentions: (word) => countOf(own?.text ?? '', word),
  };
}

function countOf(text: string, word: string): number {
  const [all, one] = [text.toLowerCase(), word.toLowerCase()];
  let count = 0;
  for (let at = all.indexOf(one); at >= 0; at = all.indexOf(one, at + one.length)) {
    const isWhole = !/\w/.test(all[at - 1] ?? ' ') && !/\w/.test(all[at + one.length] ?? ' ');
    if (isWhole) count++;
  }
  return count;
}
