/*
 * The list of a SELECT over semantic tables: stars spelled out, and every column with the name it has in the answer.
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { type AggregateType, isAggregateType } from '../../../domain/measure-type.ts';
import type { Measure } from '../../../domain/semantic-model.ts';
import { outputName } from '../../../foundation/sql/resolve/output-name.ts';
import type { Call, Expression, Select, Star } from '../../../foundation/sql/tree.ts';
import type { IndexedModel } from '../indexed-model.ts';
import type { MemberReader } from '../member-reader.ts';
import { namedModel } from '../name-paths.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import type { BlockNames } from './block-names.ts';
import { type Problems, positionOf } from './problems.ts';
import type { SemanticTable } from './read-sources.ts';

/** An expression of the list. */
export interface ListItem {
  readonly expression: Expression;
  readonly name: string;
  /** By AS: other places may then use the name. */
  readonly isNamed: boolean;
}

interface ListPlace {
  readonly names: BlockNames;
  readonly reader: MemberReader;
  readonly problems: Problems;
  readonly notes: Set<string>;
}

export function readList(
  { projections, windows, asKind, span }: Select,
  place: ListPlace,
): readonly ListItem[] {
  if (asKind !== undefined)
    place.problems.add(() =>
      diagnostic('semantic.sql-unsupported', { what: `SELECT AS ${asKind}` }, { at: positionOf(span) }),
    );
  return projections.flatMap(({ expression, alias }): readonly ListItem[] => {
    if (expression.kind === 'star') return starItems(expression, place);
    const name = alias?.name ?? nameOf(expression, windows);
    return [{ expression, name, isNamed: alias !== undefined }];
  });
}

function nameOf(expression: Expression, windows: Select['windows']): string {
  if (expression.kind === 'column') return expression.name.name;
  const [argument] = expression.kind === 'call' ? expression.arguments : [];
  const isMeasure =
    expression.kind === 'call' && ['measure', 'aggregate'].includes(expression.name.name.toLowerCase());
  return isMeasure && argument?.value.kind === 'column'
    ? argument.value.name.name
    : outputName(expression, windows);
}

/** Measures that need a period are left out, so that a star always has an answer. */
function starItems(star: Star, { names, reader, problems, notes }: ListPlace): readonly ListItem[] {
  if (star.replace.length + star.rename.length > 0)
    problems.add(() =>
      diagnostic(
        'semantic.sql-unsupported',
        { what: 'REPLACE or RENAME behind a star' },
        { at: positionOf(star.span) },
      ),
    );
  const wanted = star.qualifiers.at(-1)?.name.toLowerCase();
  const sources = names.sources.filter(({ alias }) => wanted === undefined || alias.toLowerCase() === wanted);
  if (sources.length === 0)
    problems.add(() =>
      diagnostic('semantic.sql-unknown-table', { name: wanted ?? '' }, { at: positionOf(star.span) }),
    );
  const excluded = new Set(star.exclude.map(({ name }) => name.toLowerCase()));
  return sources.flatMap((source) =>
    names
      .star(source, (name) => isAnswerable(source, name, { reader, notes }))
      .filter((name) => !excluded.has(name.toLowerCase()))
      .map((name) => ({
        expression: {
          kind: 'column' as const,
          name: { name, quoted: true, span: star.span },
          qualifiers: [{ name: source.alias, quoted: true, span: star.span }],
          span: star.span,
        },
        name,
        isNamed: false,
      })),
  );
}

function isAnswerable(
  source: SemanticTable,
  name: string,
  { reader, notes }: { readonly reader: MemberReader; readonly notes: Set<string> },
): boolean {
  if (source.kind === 'metric' || !needsTime(source.named.model, name, reader, new Set())) return true;
  notes.add(`* leaves out ${source.alias}.${name}, which needs a period to be shown for.`);
  return false;
}

/** Whether a measure is computed with a window or a shift, itself or what it is made of. */
function needsTime(model: IndexedModel, name: string, reader: MemberReader, seen: Set<Measure>): boolean {
  const member = model.members.get(name.toLowerCase());
  const measure = member?.kind === 'measure' ? member.measure : undefined;
  if (measure === undefined || seen.has(measure)) return false;
  seen.add(measure);
  if (measure.rollingWindow !== undefined || measure.timeShift !== undefined) return true;
  if (isAggregateType(measure.type) || measure.expression === undefined) return false;
  const { measures } = reader.derived(model, measure.expression);
  return [...measures.values()].some((used) => needsTime(used.model, used.name, reader, seen));
}

const NATURAL: Readonly<Record<AggregateType, readonly string[]>> = {
  sum: ['sum'],
  count: ['count', 'sum'],
  count_distinct: ['count'],
  count_distinct_approx: ['count', 'approx_count_distinct'],
  avg: ['avg', 'mean'],
  min: ['min'],
  max: ['max'],
  median: ['median', 'percentile_cont'],
  percentile: ['quantile_cont', 'quantile', 'percentile_cont'],
};

/** Whether an aggregate is what the measure does by itself, so that no note is needed. */
export function isNaturalCall(index: SemanticIndex, word: string, { name, isDistinct }: Call): boolean {
  const [first = '', second = ''] = word.split('.');
  const metric = index.models.has(first.toLowerCase()) ? undefined : index.metrics.get(first.toLowerCase());
  const [table = '', own = ''] =
    metric?.calculation.kind === 'simple' ? metric.calculation.measure.value.split('.') : [first, second];
  const member = namedModel(index, table)?.model.members.get(own.toLowerCase());
  const type = member?.kind === 'measure' ? (member.measure?.type ?? 'count') : undefined;
  return (
    type !== undefined &&
    isAggregateType(type) &&
    NATURAL[type].includes(name.name.toLowerCase()) &&
    isDistinct === (type === 'count_distinct')
  );
}
