/*
 * One SELECT over semantic tables:
 *
 *   SELECT status, SUM(revenue) / COUNT(*) AS aov, rank() OVER (…) FROM orders WHERE weekend GROUP BY 1 HAVING …
 *     ── bind, fold ──▶ keys [status] · measures [revenue, count] · conditions [weekend] · having
 *     ── core ────────▶ SELECT status, SUM(amount) AS revenue, COUNT(*) AS count FROM … WHERE … GROUP BY 1 HAVING …
 *     ── around ──────▶ SELECT status, revenue / count AS aov, rank() OVER (…) FROM (that) AS orders
 */

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Expression, OrderItem, Query, Select } from '../../../foundation/sql/tree.ts';
import { rewrite } from '../../../foundation/sql/walk.ts';
import { resolveQuestion } from '../compile-query.ts';
import { explainQuery } from '../explain-query.ts';
import type { WrittenAggregate } from '../extra-terms.ts';
import { lowerQuery } from '../lower-query.ts';
import { type BlockPlace, type BoundBlock, bindBlock } from './bind-block.ts';
import { type BlockNames, isGroupName } from './block-names.ts';
import { blockTree } from './block-tree.ts';
import type { CompiledBlock } from './compiled-block.ts';
import { positionOf } from './problems.ts';
import { writtenAggregate } from './written-aggregate.ts';

const MEASURES_MAX = 500;

/** Undefined when a problem was reported. */
export function compileBlock(
  written: Select,
  orderBy: Query['orderBy'],
  place: BlockPlace,
): CompiledBlock | undefined {
  const { index, problems, notes } = place;
  const block = bindBlock(written, orderBy, place);
  if (block === undefined) return undefined;
  const before = problems.count;
  const { shown, having, frame, ordered } = settled(block);
  if (block.binder.made.size > MEASURES_MAX)
    problems.add(() =>
      diagnostic(
        'semantic.sql-unsupported',
        { what: `more than ${MEASURES_MAX} measures and aggregates` },
        { at: positionOf(written.span) },
      ),
    );
  if (problems.count > before) return undefined;
  const { measures, aggregates } = asked(block, place);
  if (problems.count > before) return undefined;
  const { keys, names, models, chosen, conditions, filters, list, sources } = block;
  const resolved = resolveQuestion(
    index,
    { measures: measures.map(({ word }) => word), dimensions: [], filters },
    {
      ...place.options,
      isUnlimited: true,
      extra: {
        keys: keys.list.map(({ member }) => member),
        conditions,
        aggregates,
        tables: models,
        chosen,
      },
    },
  );
  if (!resolved.ok) {
    for (const problem of resolved.diagnostics) problems.add(() => placed(problem, written, names));
    return undefined;
  }
  const { logical, tables } = resolved;
  for (const note of resolved.notes) notes.add(note);
  const made = blockTree({
    written: frame,
    alias: sources[0]?.alias ?? 'answer',
    list: list.map(({ name }, i) => ({ name, expression: shown[i] as Expression })),
    having,
    orderBy: ordered,
    logical,
    placeholders: [...keys.list, ...measures, ...aggregates].map(({ placeholder }) => placeholder),
    lower: (question, aliasNames) => lowerQuery(question, tables, aliasNames),
  });
  for (const model of resolved.reads) place.reads.add(model);
  for (const name of resolved.semantics) place.semantics.add(name);
  for (const name of resolved.members) place.members.add(name);
  place.explanation.push(...explainQuery({ ...logical, order: [] }));
  return made;
}

/** Everything that is shown, in terms of keys and measures. */
function settled({ keys, binder, bound, after, outer, order }: BoundBlock): {
  readonly shown: readonly Expression[];
  readonly having: readonly Expression[];
  readonly frame: Select;
  readonly ordered: readonly OrderItem[] | 'ALL';
} {
  const settle = <Tree extends Expression | Select>(tree: Tree): Tree =>
    rewrite(keys.match(tree), (node) => (isGroupName(node) ? binder.bare(node) : node));
  const shown = bound.map(settle);
  const having = after.map(settle);
  const frame = settle(outer);
  const ordered =
    order === 'ALL'
      ? order
      : order.map(({ item, isOutput }) =>
          isOutput ? item : { ...item, expression: settle(item.expression) },
        );
  const sorted = ordered === 'ALL' ? [] : ordered.map(({ expression }) => expression);
  for (const tree of [...shown, ...having, frame, ...sorted]) keys.checkGrouped(tree);
  return { shown, having, frame, ordered };
}

interface Placeholder {
  readonly placeholder: string;
}

/** The measures that the block names, and the aggregates that it writes. */
function asked(
  { binder, names, chosen }: BoundBlock,
  { index, reader, problems }: BlockPlace,
): {
  readonly measures: readonly (Placeholder & { readonly word: string })[];
  readonly aggregates: readonly (Placeholder & WrittenAggregate)[];
} {
  const aggregates: (Placeholder & WrittenAggregate)[] = [];
  const measures: (Placeholder & { readonly word: string })[] = [];
  for (const [placeholder, made] of binder.made) {
    if (made.kind === 'measure') {
      measures.push({ word: made.word, placeholder });
      continue;
    }
    const aggregate = writtenAggregate(made.call, { index, reader, names, choice: { hints: [], chosen } });
    if ('code' in aggregate) problems.add(() => aggregate);
    else aggregates.push({ ...aggregate, id: placeholder, placeholder });
  }
  return { measures, aggregates };
}

/** What the core says, at the first member it speaks of, or at the SELECT. */
function placed(problem: Diagnostic, { span, from }: Select, names: BlockNames): Diagnostic {
  if (problem.at !== undefined) return problem;
  const named = names.placeIn(problem.message);
  const last = from.at(-1)?.span ?? span;
  return { ...problem, at: positionOf(named ?? { start: from[0]?.span.start ?? span.start, end: last.end }) };
}
