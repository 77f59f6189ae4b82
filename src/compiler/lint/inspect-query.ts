import type { Span } from '../../foundation/sql/tree.ts';
import type { InspectQuery, RuleHit } from '../resolve/rule-hit.ts';
import { builtInRules } from './built-in-rules.ts';
import { inspectedQuery, type QueryHit } from './inspected-query.ts';

const inspecting = builtInRules.flatMap(({ name, inspect }) =>
  inspect === undefined ? [] : [{ name, inspect }],
);

/** Lets every rule look at a query, whatever config says of it: so what was seen is still true when config changes. */
export const inspectQuery: InspectQuery = (definition, read) => {
  const query = inspectedQuery(definition, read);
  const place = ({ start, end }: Span): Span => read.parsed.map.original(start, end);
  const hits: RuleHit[] = [];
  // A macro such as @EACH repeats the text it stands for.
  const places = new Set<string>();
  for (const { name, inspect } of inspecting)
    for (const { span, words, fix } of inspect(query)) {
      const at = place(span);
      const key = `${name} ${at.start} ${at.end} ${words?.join(' ') ?? ''}`;
      if (places.has(key)) continue;
      places.add(key);
      hits.push({
        rule: name,
        ...at,
        ...(words === undefined ? {} : { words }),
        ...fixOf(fix),
      });
    }
  return hits;

  /** Only the user's own text is edited. */
  function fixOf(fix: QueryHit['fix']): Pick<RuleHit, 'fix'> {
    if (fix === undefined) return {};
    const isOwn = fix.isOfFile === true || query.written(fix) !== undefined;
    return isOwn ? { fix: { ...place(fix), text: fix.text } } : {};
  }
};
