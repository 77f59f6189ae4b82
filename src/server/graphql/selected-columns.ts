/*
 * What a selection means: columns of a question, and where each cell of its answer goes.
 *
 *   { status order_date { month } customers { region } }
 *     ──▶ dimensions orders.status, orders.order_date.month, customers.region
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
  /** Where in a row of the answer the cell of a field is, by the names that lead to it. */
  readonly placeOf: (path: readonly string[]) => number | undefined;
}

type SelectionInfo = Pick<GraphQLResolveInfo, 'fragments' | 'variableValues'>;

interface Leaf {
  readonly path: readonly string[];
  readonly member: string;
  readonly isMeasure: boolean;
}

/** `granularity` is that of a metric's time; ranges that are compared make a first column, which goes into the field `compareField`. */
export function selectedColumns(
  info: SelectionInfo & Pick<GraphQLResolveInfo, 'fieldNodes'>,
  { fields, compareField }: Pick<QuestionRoot, 'fields' | 'compareField'>,
  { granularity, isCompared }: { readonly granularity?: string | undefined; readonly isCompared: boolean },
): SelectedColumns {
  const before = isCompared ? 1 : 0;
  const leaves = new Map<string, Leaf>();
  for (const node of info.fieldNodes) collect(node, { fields, path: [], granularity, info, leaves });
  const all = [...leaves.values()];
  const dimensions = [...new Set(all.filter(({ isMeasure }) => !isMeasure).map(({ member }) => member))];
  const measures = [...new Set(all.filter(({ isMeasure }) => isMeasure).map(({ member }) => member))];
  const places = new Map(
    all.map(({ path, member, isMeasure }) => [
      path.join('.'),
      before + (isMeasure ? dimensions.length + measures.indexOf(member) : dimensions.indexOf(member)),
    ]),
  );
  if (isCompared && compareField !== undefined) places.set(compareField, 0);
  return { dimensions, measures, placeOf: (path) => places.get(path.join('.')) };
}

interface Collecting {
  readonly fields: QuestionFields;
  readonly path: readonly string[];
  readonly granularity: string | undefined;
  readonly info: SelectionInfo;
  readonly leaves: Map<string, Leaf>;
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
      collect(node, { ...at, fields: field.fields });
      break;
    case 'time':
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
export function* chosenFields(
  selections: readonly SelectionNode[],
  info: SelectionInfo,
): Generator<FieldNode> {
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
