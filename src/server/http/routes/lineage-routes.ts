/** What data is made of, and what hangs on it. */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { findModelOrColumn } from '../../../domain/find-model.ts';
import {
  columnImpact,
  type ImpactFocus,
  type SupposedChange,
} from '../../../operations/catalog/column-impact.ts';
import type { AppliedProduct } from '../../../operations/catalog/metadata.ts';
import { type LineageGraph, type LineageRequest, lineage } from '../../../operations/project/lineage.ts';
import { reader, seenBy } from '../answers/metadata-reader.ts';
import { Problem } from '../answers/problem.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { IMPACT, LINEAGE } from '../schemas/metadata-schemas.ts';

const REF: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 500,
  description: 'a model, model.column, semantic:NAME or metric:NAME',
};

const IMPACT_REF: JsonSchema = {
  ...REF,
  description: 'a model, model.column, semantic:NAME, semantic:NAME.member or metric:NAME',
};
const CHANGES = ['values', 'type', 'rename', 'drop'] as const satisfies readonly SupposedChange[];

/** What a ref means in the graph; the column may be written behind the model or beside it. */
function focusOf(
  seen: AppliedProduct,
  ref: string | undefined,
  column: string | undefined,
): Pick<LineageRequest, 'model' | 'node' | 'column'> {
  if (ref === undefined) return {};
  const [, kind, name] = /^(semantic|metric):(.+)$/.exec(ref) ?? [];
  if (kind !== undefined) {
    const known = kind === 'semantic' ? seen.semanticModels : seen.metrics;
    if (!known.some((each) => each.name.value === name))
      throw new Problem(404, diagnostic('access.not-found', { what: kind, name: name ?? '' }));
    return { node: ref };
  }
  const found = findModelOrColumn(seen, column === undefined ? ref : `${ref}.${column}`);
  if (!found.ok) throw new Problem(404, found.problem);
  return { model: found.model, ...(found.column === undefined ? {} : { column: found.column }) };
}

const graphBody = ({ level, focus, nodes, edges }: LineageGraph): unknown => ({
  level,
  focus: focus ?? null,
  nodes,
  edges,
});

const DEPTH_MAX = 1000;

export const lineageRoutes: readonly Route<ProductCall>[] = [
  reader(
    '/metadata/lineage',
    {
      operationId: 'getLineage',
      summary: 'Where data comes from and goes to, by tables or by columns',
      query: {
        ref: REF,
        column: { type: 'string', minLength: 1, maxLength: 500 },
        direction: { type: 'string', enum: ['both', 'upstream', 'downstream'] },
        depth: { type: 'integer', minimum: 1, maximum: DEPTH_MAX },
      },
      answers: { 200: { description: 'a graph', schema: LINEAGE } },
    },
    async (call) => {
      const { ref, column, direction, depth } = call.query;
      const seen = await seenBy(call);
      return graphBody(
        lineage(seen, {
          ...focusOf(seen, ref as string | undefined, column as string | undefined),
          direction: (direction as LineageRequest['direction'] | undefined) ?? 'both',
          depthMax: (depth as number | undefined) ?? DEPTH_MAX,
        }),
      );
    },
  ),
  reader(
    '/metadata/impact',
    {
      operationId: 'getImpact',
      summary: 'What a change of a model, column, member or metric would reach, by columns and members',
      query: {
        ref: IMPACT_REF,
        change: { type: 'string', enum: CHANGES, description: 'the assumed change; values when absent' },
      },
      answers: { 200: { description: 'everything below, the nearest first', schema: IMPACT } },
    },
    async (call) => {
      const { ref, change = 'values' } = call.query;
      if (typeof ref !== 'string')
        throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
          errors: [{ path: 'querystring/ref', message: 'is missing' }],
        });
      const seen = await seenBy(call);
      const { nodes, edges } = columnImpact(seen, {
        focus: impactFocus(seen, ref),
        change: change as SupposedChange,
      });
      return { ref, change, breaking: nodes.some(({ effect }) => effect === 'breaks'), nodes, edges };
    },
  ),
];

/** A model stands for all its columns, a semantic model for all its members. */
function impactFocus(seen: AppliedProduct, ref: string): ImpactFocus {
  const [, kind, name = ''] = /^(semantic|metric):(.+)$/.exec(ref) ?? [];
  if (kind === 'semantic') {
    const [semantic = '', member] = name.split('.');
    const found = seen.semanticModels.find((each) => each.name.value === semantic);
    const members = found === undefined ? [] : membersOf(seen, found);
    const wanted = member === undefined ? members : members.filter((each) => each === member);
    if (found === undefined || (member !== undefined && wanted.length === 0))
      throw new Problem(404, diagnostic('access.not-found', { what: kind, name }));
    return { members: wanted.map((each) => `${semantic}.${each}`) };
  }
  const { model, column } = focusOf(seen, ref, undefined);
  if (model === undefined) return { metric: name };
  return {
    columns: {
      model: model.name,
      names: column === undefined ? model.columns.map((each) => each.name) : [column],
    },
  };
}

function membersOf(
  { models }: AppliedProduct,
  { model, dimensions, measures, segments }: AppliedProduct['semanticModels'][number],
): readonly string[] {
  const columns = models.find(({ name }) => name.toLowerCase() === model.value.toLowerCase())?.columns ?? [];
  return [
    ...(dimensions?.map(({ name }) => name.value) ?? columns.map(({ name }) => name)),
    ...measures.map(({ name }) => name.value),
    ...segments.map(({ name }) => name.value),
  ];
}
