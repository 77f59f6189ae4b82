/** What data is made of, and what hangs on it. */

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { SUPPOSED_CHANGES, type SupposedChange } from '../../../domain/impact.ts';
import { impactJson } from '../../../domain/impact-json.ts';
import type { LineageGraph, LineageRequest } from '../../../domain/lineage.ts';
import { impactOf } from '../../../operations/catalog/impact.ts';
import { lineageOf } from '../../../operations/catalog/lineage.ts';
import { visibleProduct } from '../../../operations/catalog/visible-product.ts';
import { impactReader } from '../../../operations/notify/impact-reader.ts';
import { appliedBy, reader, seenBy } from '../answers/metadata-reader.ts';
import { Problem } from '../answers/problem.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { IMPACT } from '../schemas/impact.ts';
import { LINEAGE } from '../schemas/metadata-schemas.ts';

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

/** The column may be written behind the model or beside it. */
const withColumn = (ref: string | undefined, column: string | undefined): string | undefined =>
  ref === undefined || column === undefined || /^(?:semantic|metric):./.test(ref) ? ref : `${ref}.${column}`;

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
      const graph = lineageOf(seen, withColumn(ref as string | undefined, column as string | undefined), {
        direction: (direction as LineageRequest['direction'] | undefined) ?? 'both',
        depthMax: (depth as number | undefined) ?? DEPTH_MAX,
      });
      if (!graph.ok) throw new Problem(404, graph.problem);
      return graphBody(graph.found);
    },
  ),
  reader(
    '/metadata/impact',
    {
      operationId: 'getImpact',
      summary: 'What a change of a model, column, member or metric would reach, from columns to people',
      query: {
        ref: IMPACT_REF,
        change: {
          type: 'string',
          enum: SUPPOSED_CHANGES,
          description: 'the assumed change; values when absent',
        },
      },
      answers: { 200: { description: 'everything below, the nearest first', schema: IMPACT } },
    },
    async (call) => {
      const { ref, change = 'values' } = call.query;
      if (typeof ref !== 'string')
        throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
          errors: [{ path: 'querystring/ref', message: 'is missing' }],
        });
      const { product, identity } = call;
      const applied = await appliedBy(call);
      const seen = await visibleProduct(product, applied, identity);
      const reader = impactReader(product, identity);
      const asked = { ref, change: change as SupposedChange, reader };
      const found = await impactOf(product, { applied, seen }, asked);
      if (!found.ok) throw new Problem(404, found.problem);
      const { graph, report } = found.found;
      const { nodes, edges } = graph;
      const breaking = nodes.some(({ effect }) => effect === 'breaks');
      return { ref, change, breaking, nodes, edges, ...impactJson(report) };
    },
  ),
];
