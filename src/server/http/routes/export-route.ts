/** The product in formats that other tools read. */

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Identity } from '../../../domain/principal.ts';
import { exportDocument } from '../../../operations/catalog/export/export-document.ts';
import { exportReport, type ForeignFormat } from '../../../operations/catalog/export/export-report.ts';
import { readExportSource } from '../../../operations/catalog/export/read-export-source.ts';
import type { Product } from '../../../operations/platform.ts';
import { originOf } from '../answers/addresses.ts';
import { environmentIn, reader } from '../answers/metadata-reader.ts';
import { Problem } from '../answers/problem.ts';
import { productAddresses } from '../product-addresses.ts';
import type { ProductCall, Route } from '../route.ts';

const FORMATS = ['odcs', 'odps', 'openlineage', 'openapi', 'graphql', 'llms.txt'] as const;
const TEXT = 'text/plain; charset=utf-8';

/** The others are Plinth's own description of itself. */
function foreignFormat(format: (typeof FORMATS)[number]): ForeignFormat {
  if (format === 'odcs' || format === 'odps' || format === 'openlineage') return format;
  throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
    errors: [{ path: 'querystring/report', message: 'is for odcs, odps and openlineage' }],
  });
}

/** What is made elsewhere in the server. */
export interface Described {
  readonly sdl: (product: Product, identity: Identity, environment: string | undefined) => Promise<string>;
  /** The document of the Data Product API; `server` is where it is. */
  readonly openapi: (server: string) => unknown;
}

export const exportRoute = ({ sdl, openapi }: Described): Route<ProductCall> =>
  reader(
    '/metadata/export',
    {
      operationId: 'exportProduct',
      summary:
        'The product for other tools: ODCS 3.0.2, ODPS 1.0.0, OpenLineage 2-0-2, OpenAPI 3.1, GraphQL SDL, llms.txt',
      query: {
        format: { type: 'string', enum: FORMATS, description: 'odcs when absent' },
        report: {
          type: 'boolean',
          description:
            'what odcs, odps or openlineage cannot say of this product, in place of the document: `{format, items: [{what, how, why, names}]}`, where `how` is left-out or custom (in words that only Plinth reads)',
        },
      },
      answers: {
        200: {
          description: 'the document: JSON, but for graphql and llms.txt, which are text',
          schema: {
            type: ['object', 'array'],
            description: 'as the format defines it; OpenLineage is a list of events',
            items: { type: 'object' },
          },
          types: ['application/json', 'text/plain'],
        },
      },
    },
    async (call) => {
      const { product, identity, request, reply, platform } = call;
      const environment = environmentIn(call);
      const at = productAddresses(product, request.url.split('/')[1] ?? '');
      const origin = originOf(platform, request);
      const ports = { rest: `${origin}${at.rest}`, graphql: `${origin}${at.graphql}` };
      const format = (call.query['format'] as (typeof FORMATS)[number] | undefined) ?? 'odcs';
      if (call.query['report'] === true)
        return exportReport(product, identity, { format: foreignFormat(format), environment, ports });
      if (format === 'openapi') return openapi(ports.rest);
      if (format === 'graphql') return reply.type(TEXT).send(await sdl(product, identity, environment));
      const source = await readExportSource(product, identity, { environment, ports });
      const document = await exportDocument(source, format);
      return format === 'llms.txt' ? reply.type(TEXT).send(document) : document;
    },
  );
