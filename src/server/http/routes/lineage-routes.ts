/** What data is made of, and what hangs on it. */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Change } from '../../../domain/plan.ts';
import { findModelOrColumn } from '../../../operations/find-model.ts';
import { impactOf } from '../../../operations/impact.ts';
import { type LineageGraph, type LineageRequest, lineage } from '../../../operations/lineage.ts';
import type { AppliedProduct } from '../../../operations/metadata.ts';
import { reader, seenBy } from '../metadata-reader.ts';
import { Problem } from '../problem.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { IMPACT, LINEAGE } from '../schemas/metadata-schemas.ts';

const REF: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 500,
  description: 'a model, model.column, semantic:NAME or metric:NAME',
};

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
      summary: 'What a change of a model or column would reach',
      query: { ref: REF, change: { type: 'string', enum: ['changed', 'removed'] } },
      answers: {
        200: {
          description: 'models, semantic models and metrics',
          schema: IMPACT,
        },
      },
    },
    async (call) => {
      const { ref, change } = call.query;
      if (typeof ref !== 'string')
        throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
          errors: [{ path: 'querystring/ref', message: 'is missing' }],
        });
      const seen = await seenBy(call);
      const focus = focusOf(seen, ref, undefined);
      const graph = lineage(seen, { ...focus, direction: 'downstream', depthMax: DEPTH_MAX });
      const reached =
        focus.model === undefined
          ? []
          : impactOf(seen, [supposed(focus.model.name, focus.column, change === 'removed')]);
      return { ref, nodes: graph.nodes.filter(({ id }) => id !== graph.focus), impact: reached };
    },
  ),
];

/** A change that nobody made. */
const supposed = (name: string, column: string | undefined, isRemoved: boolean): Change => {
  const columns = column === undefined ? [] : [column];
  return {
    kind: 'model',
    name,
    change: 'direct',
    category: 'breaking',
    reason: 'supposed',
    columns: { added: [], removed: isRemoved ? columns : [], changed: isRemoved ? [] : columns },
  };
};
