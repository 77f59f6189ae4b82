import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Model } from '../../../domain/model.ts';
import type { QueryBody, Select, Star } from '../../../foundation/sql/tree.ts';
import type { ParsedModel } from '../../resolve/parsed-model.ts';
import { type Finding, type Fix, type LintRule, ownModels } from '../lint-rule.ts';

export const noSelectStar: LintRule = {
  name: 'no-select-star',
  byDefault: 'off',
  why: 'The columns of a model should change only when its own file does.',
  async check({ project, parsed }) {
    const findings: Finding[] = [];
    for (const model of ownModels(project)) {
      const read = await parsed(model);
      if (read === undefined || read.hasForeignSpans) continue;
      for (const { select, star } of outerStars(read.query.body)) {
        const at = { file: model.file, ...read.map.original(star.span.start, star.span.end) };
        const fix = fixOf(model, read, select, star, at);
        findings.push({
          model: model.name,
          diagnostic: diagnostic('lint.no-select-star', { model: model.name }, { at }),
          ...(fix === undefined ? {} : { fix }),
        });
      }
    }
    return findings;
  },
};

/** Stars among the projections that make the result: of every branch of a set operation, not of inner queries. */
function outerStars(body: QueryBody): readonly { readonly select: Select; readonly star: Star }[] {
  const found: { select: Select; star: Star }[] = [];
  const bodies: QueryBody[] = [body];
  for (let next = bodies.pop(); next !== undefined; next = bodies.pop()) {
    if (next.kind === 'set-operation') bodies.push(next.right, next.left);
    else if (next.kind === 'nested') bodies.push(next.query.body);
    else if (next.kind === 'select')
      for (const { expression } of next.projections)
        if (expression.kind === 'star') found.push({ select: next, star: expression });
  }
  return found;
}

/** Lists the columns where the star is all there is: one table, known columns, nothing excluded, and the user's own text at that place. */
function fixOf(
  model: Model,
  { query, text, map }: ParsedModel,
  select: Select,
  star: Star,
  at: { readonly file: string; readonly start: number; readonly end: number },
): Fix | undefined {
  const isPlain =
    star.qualifiers.length === 0 && star.exclude.length + star.replace.length + star.rename.length === 0;
  const isWhole =
    query.body === select &&
    select.projections.length === 1 &&
    select.from.length === 1 &&
    select.from[0]?.kind !== 'join';
  const isUsersText =
    text.slice(star.span.start, star.span.end) === '*' &&
    at.end - at.start === 1 &&
    map.original(star.span.start, star.span.end).start === at.start;
  if (!isPlain || !isWhole || !isUsersText || !model.hasAllColumns || model.lineage.length === 0)
    return undefined;
  const names = model.lineage.map(({ column }) =>
    /^[a-z_][a-z0-9_]*$/.test(column) ? column : `"${column.replaceAll('"', '""')}"`,
  );
  return new Set(names).size === names.length ? { ...at, text: names.join(',\n  ') } : undefined;
}
