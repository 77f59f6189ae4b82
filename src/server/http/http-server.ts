import Fastify, { type FastifyInstance } from 'fastify';
import type { Engine } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { Project } from '../../domain/project.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { query } from '../../operations/query.ts';
import { readQuestion } from '../../operations/query-semantic.ts';

/** The data product over HTTP. Walking skeleton: one route, loopback only, no authentication; issue 6 builds the server. */
export function httpServer(project: Project, engine: Engine): FastifyInstance {
  const server = Fastify({ bodyLimit: 1_048_576 });
  const { tenant, name } = project.config;
  server.post(
    `/plinth/tenants/${tenant}/data-products/${tenant}-${name}/api/v1/query/semantic/rest`,
    { schema: { body: BODY } },
    async (request, reply) => {
      const asked = readQuestion((request.body as { query: unknown }).query);
      const refuse = (status: number, title: string, errors: readonly Diagnostic[]): unknown =>
        reply.code(status).type('application/problem+json').send({ status, title, errors });
      if (!asked.ok) return refuse(400, 'The query cannot be read', asked.diagnostics);
      try {
        const answer = await query(project, engine, asked.query, 'prod');
        if (!answer.ok) return refuse(422, 'The query cannot be answered', answer.diagnostics);
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

/** The query itself is read by its own reader, which tells everything that is wrong with it. */
const BODY = {
  type: 'object',
  required: ['query'],
  additionalProperties: false,
  properties: { query: { type: 'object' } },
} as const;
