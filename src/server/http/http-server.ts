import Fastify, { type FastifyInstance } from 'fastify';
import type { Engine } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { Project } from '../../domain/project.ts';
import type { SemanticQuery } from '../../domain/semantic-query.ts';
import { query } from '../../operations/query.ts';

/** The data product over HTTP. Walking skeleton: one route, loopback only, no authentication; issue 6 builds the server. */
export function httpServer(project: Project, engine: Engine): FastifyInstance {
  const server = Fastify({ bodyLimit: 1_048_576 });
  const { tenant, name } = project.config;
  server.post(
    `/plinth/tenants/${tenant}/data-products/${tenant}-${name}/api/v1/query/semantic/rest`,
    { schema: { body: BODY } },
    async (request, reply) => {
      const asked = (request.body as { query: SemanticQuery }).query;
      try {
        const answer = await query(project, engine, asked, 'prod');
        if (!answer.ok)
          return reply
            .code(422)
            .type('application/problem+json')
            .send({ status: 422, title: 'The query cannot be answered', errors: answer.diagnostics });
        return { status: 'SUCCESS', sql: answer.sql, result: { cols: answer.columns, rows: answer.rows } };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return reply
          .code(502)
          .type('application/problem+json')
          .send({ status: 502, title: error.message, code: error.code });
      }
    },
  );
  return server;
}

const MEMBERS = { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 200 } } as const;
const BODY = {
  type: 'object',
  required: ['query'],
  additionalProperties: false,
  properties: {
    query: {
      type: 'object',
      required: ['measures', 'dimensions'],
      additionalProperties: false,
      properties: { measures: MEMBERS, dimensions: MEMBERS },
    },
  },
} as const;
