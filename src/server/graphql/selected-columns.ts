/*
 * What a selection means: columns of a question, and where each cell of its answer goes.
 *
 *   { status order_date { month } customers { region } }
 *     ──▶ dimensions orders.status, orders.order_date.month, customers.region
 *     ◀── {status: …, order_date: {month: …}, customers: {region: …}}
 */
import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
} from 'graphql';
import { unreachable } from '../../foundation/unreachable.ts';
import type { QuestionField, QuestionFields, QuestionRoot } from './question-fields.ts';

/** Columns in the order they were asked for, each once; dimensions are before measures in an answer. */
export interface SelectedColumns {
  readonly dimensions: readonly string[];
  readonly measures: readonly string[];
  /** A row of the answer as the object that the selection describes. */
  readonly nest: (row: readonly unknown[]) => Nested;
}

export interface Nested {
  readonly [field: string]: unknown;
}

type Around = Pick<GraphQLResolveInfo, 'fragments' | 'variableValues'>;

interface Leaf {
  readonly path: readonly string[];
  readonly member: string;
  readonly isMeasure: boolean;
}

/** `granularity` is that of a metric's time; ranges that are compared make a first column, which goes into the field `compareField`. */
export function selectedColumns(
  info: Around & Pick<GraphQLResolveInfo, 'fieldNodes'>,
  { fields, compareField }: Pick<QuestionRoot, 'fields' | 'compareField'>,
  { granularity, isCompared }: { readonly granularity?: string | undefined; readonly isCompared: boolean },
): SelectedColumns {
  const before = isCompared ? 1 : 0;
  const leaves = new Map<string, Leaf>();
  const objects = new Map<string, readonly string[]>();
  for (const node of info.fieldNodes) collect(node, { fields, path: [], granularity, info, leaves, objects });
  const all = [...leaves.values()];
  const dimensions = [...new Set(all.filter(({ isMeasure }) => !isMeasure).map(({ member }) => member))];
  const measures = [...new Set(all.filter(({ isMeasure }) => isMeasure).map(({ member }) => member))];
  const places = all.map(({ path, member, isMeasure }) => ({
    path: path.slice(0, -1),
    name: path.at(-1) ?? '',
    index: before + (isMeasure ? dimensions.length + measures.indexOf(member) : dimensions.indexOf(member)),
  }));
  const nest = (row: readonly unknown[]): Nested => {
    const top: Record<string, unknown> = isCompared && compareField ? { [compareField]: row[0] } : {};
    for (const path of objects.values()) objectAt(top, path);
    for (const { path, name, index } of places) objectAt(top, path)[name] = row[index];
    return top;
  };
  return { dimensions, measures, nest };
}

function objectAt(top: Record<string, unknown>, path: readonly string[]): Record<string, unknown> {
  let at = top;
  for (const step of path) {
    at[step] ??= {};
    at = at[step] as Record<string, unknown>;
  }
  return at;
}

interface Collecting {
  readonly fields: QuestionFields;
  readonly path: readonly string[];
  readonly granularity: string | undefined;
  readonly info: Around;
  readonly leaves: Map<string, Leaf>;
  /** Joins and times that were chosen, even if nothing of theirs was. */
  readonly objects: Map<string, readonly string[]>;
}

function collect(node: FieldNode, at: Collecting): void {
  for (const chosen of chosenFields(node.selectionSet?.selections ?? [], at.info)) {
    const name = chosen.name.value;
    const field = at.fields.get(name);
    if (field !== undefined) collectField(chosen, field, { ...at, path: [...at.path, name] });
  }
}

function collectField(node: FieldNode, field: QuestionField, at: Collecting): void {
  const add = (member: string, isMeasure: boolean, path = at.path): void => {
    at.leaves.set(path.join('.'), { path, member, isMeasure });
  };
  switch (field.kind) {
    case 'dimension':
    case 'measure':
      add(field.member, field.kind === 'measure');
      break;
    case 'metric-time':
      add(at.granularity === undefined ? field.member : `${field.member}.${at.granularity}`, false);
      break;
    case 'join':
      at.objects.set(at.path.join('.'), at.path);
      collect(node, { ...at, fields: field.fields });
      break;
    case 'time':
      at.objects.set(at.path.join('.'), at.path);
      for (const { name } of chosenFields(node.selectionSet?.selections ?? [], at.info)) {
        const granularity = field.buckets.get(name.value);
        if (granularity === undefined && name.value !== 'value') continue;
        add(granularity === undefined ? field.member : `${field.member}.${granularity}`, false, [
          ...at.path,
          name.value,
        ]);
      }
      break;
    default:
      unreachable(field);
  }
}

/** Fields of a selection, fragments written out, without what @skip and @include leave out. No type has subtypes, so conditions of fragments always hold. */
function* chosenFields(selections: readonly SelectionNode[], info: Around): Generator<FieldNode> {
  for (const selection of selections) {
    if (getDirectiveValues(GraphQLSkipDirective, selection, info.variableValues)?.['if'] === true) continue;
    if (getDirectiveValues(GraphQLIncludeDirective, selection, info.variableValues)?.['if'] === false)
      continue;
    if (selection.kind === Kind.FIELD) yield selection;
    else if (selection.kind === Kind.INLINE_FRAGMENT)
      yield* chosenFields(selection.selectionSet.selections, info);
    else yield* chosenFields(info.fragments[selection.name.value]?.selectionSet.selections ?? [], info);
  }
}
