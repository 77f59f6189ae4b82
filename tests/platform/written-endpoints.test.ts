/** The contract of design/http-api.md against the OpenAPI documents, in both directions: neither can drift. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SERVER_LIMITS } from '../../src/domain/server-limits.ts';
import { openapiDocument } from '../../src/server/http/openapi/openapi-document.ts';
import { platformApi } from '../../src/server/http/platform-api.ts';
import { productApi } from '../../src/server/http/product-api.ts';
import {
  BESIDE_THE_PAGE,
  PLATFORM_SPANS,
  PRODUCT_SPANS,
  WRITTEN_FIELDS,
  type WrittenSpan,
} from './written-endpoints.ts';

/** Written and not there yet. One that is there fails here, so that its line goes. */
const NOT_YET: ReadonlySet<string> = new Set([
  'PUT /tenants/{}/resources/apps/{}',
  'DELETE /tenants/{}/resources/apps/{}',
  'POST /tenants/{}/resources/apps',
]);

const PAGE = join(import.meta.dirname, '../../../shared/design/http-api.md');
const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : undefined;

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into as they come
type Any = any;

/** The routes answer nothing here: only what is said of them is read. */
const unused = {} as Parameters<typeof productApi>[1];
const documents: Readonly<Record<'platform' | 'product', Any>> = {
  platform: openapiDocument(
    platformApi(
      { service: 'plinth', version: '1', limits: SERVER_LIMITS, startedAt: 0, jwks: { keys: [] } },
      [],
    ),
    { version: '1', server: '' },
  ),
  product: openapiDocument(productApi('plinth', unused, { limits: SERVER_LIMITS, version: '1' }), {
    version: '1',
    server: '',
  }),
};

/** `GET /a/{b}?c=` without names of parameters, which the page and the document choose freely. */
const plain = (operation: string): string => (operation.split('?')[0] ?? '').replaceAll(/\{\w+\}/g, '{}');

const operationsOf = (api: 'platform' | 'product'): ReadonlyMap<string, Any> =>
  new Map(
    Object.entries<Any>(documents[api].paths).flatMap(([path, methods]) =>
      Object.entries<Any>(methods).map(([method, operation]): [string, Any] => [
        plain(`${method.toUpperCase()} ${path}`),
        operation,
      ]),
    ),
  );

const spansIn = (text: string, heading: string): readonly string[] => {
  const from = text.indexOf(`\n${heading}`) + 1;
  const section = text.slice(from, text.indexOf('\n## ', from));
  return [...section.matchAll(/`([^`]*)`/g)].map(([, span = '']) => span);
};

const written = (spans: readonly WrittenSpan[]): readonly string[] =>
  spans.flatMap(([, means]) => ('other' in means ? [] : means));

describe.each([
  ['platform', PLATFORM_SPANS, '## Platform API ('],
  ['product', PRODUCT_SPANS, '## Data Product API'],
] as const)('the %s API', (api, spans, heading) => {
  const found = operationsOf(api);
  // HEAD is asked like GET, and OpenAPI documents say so nowhere.
  const asked = (operation: string): string => plain(operation).replace(/^HEAD /, 'GET ');

  if (page === undefined) {
    console.error(`NOT COMPARED with the page: ${PAGE} is not there`);
    test.skip(`is NOT compared with the page: ${PAGE} is not there`, () => undefined);
  } else
    test('is read here span by span as the page has it', () => {
      expect(spansIn(page, heading)).toEqual(spans.map(([span]) => span));
      expect(page).toContain('*later*');
    });
  test('has every operation that is written', () => {
    const missing = [...new Set(written(spans).map(asked))].filter((operation) => !found.has(operation));
    expect(missing.filter((operation) => !NOT_YET.has(operation))).toEqual([]);
  });
  test('has each parameter that is written, with the values that are', () => {
    for (const operation of written(spans)) {
      const parameters: readonly Any[] = found.get(asked(operation))?.parameters ?? [];
      if (!found.has(asked(operation))) continue;
      for (const [name, values] of new URLSearchParams(operation.split('?')[1])) {
        const parameter = parameters.find((each) => each.name === name && each.in === 'query');
        expect(parameter, `${operation}: ${name}`).toBeDefined();
        if (values !== '') expect(parameter.schema.enum, `${operation}: ${name}`).toEqual(values.split('|'));
      }
    }
  });
  test('has nothing that is neither written nor explained', () => {
    const known = new Set(written(spans).map(asked));
    const unwritten = [...found.keys()].filter((operation) => !known.has(operation));
    expect(unwritten.filter((operation) => BESIDE_THE_PAGE[operation] === undefined)).toEqual([]);
  });
});

test('nothing is called missing or beside the page that is not', () => {
  const all = new Set([...operationsOf('platform').keys(), ...operationsOf('product').keys()]);
  const listed = new Set([...written(PLATFORM_SPANS), ...written(PRODUCT_SPANS)].map(plain));
  expect([...NOT_YET].filter((operation) => all.has(operation) || !listed.has(operation))).toEqual([]);
  expect(Object.keys(BESIDE_THE_PAGE).filter((each) => !all.has(each) || listed.has(each))).toEqual([]);
});

/** `{a, b|c, d: x|y, e{f, g}}`: each place with its names, of which one is enough, and the values that it lists. */
function fieldsIn(text: string): readonly {
  readonly names: readonly string[];
  readonly values?: readonly string[];
  readonly inner?: readonly string[];
}[] {
  const parts = text.slice(1, -1).match(/[^,{]+(?:\{[^}]*\})?/g) ?? [];
  return parts.map((part) => {
    const [, head = '', inner] = /^\s*([^{]+?)\s*(\{[^}]*\})?$/.exec(part) ?? [];
    const [names = '', values] = head.split(':').map((each) => each.trim());
    return {
      names: names.split('|'),
      ...(values === undefined ? {} : { values: values.split('|') }),
      ...(inner === undefined ? {} : { inner: inner.slice(1, -1).split(/,\s*/) }),
    };
  });
}

const schemaOf = (operation: Any, of: (typeof WRITTEN_FIELDS)[number]['of']): Any => {
  if (of === 'body') return operation.requestBody.content['application/json'].schema;
  const answer = operation.responses[200].content['application/json'].schema;
  if (of === 'column') return answer.properties.cols.items;
  return of === 'item' ? answer.properties.items.items : answer;
};

test.each(WRITTEN_FIELDS)('$operation has the fields that are written: $of', (entry) => {
  const { written: text, of, api, operation } = entry;
  if (page !== undefined) expect(page).toContain(text);
  const { properties } = schemaOf(operationsOf(api).get(plain(operation)), of);
  for (const { names, values, inner } of fieldsIn(text)) {
    const schema: Any = names.map((name) => properties[name]).find((each) => each !== undefined);
    expect(schema, names.join()).toBeDefined();
    if (values !== undefined) expect(schema.enum, names.join()).toEqual(values);
    if (inner !== undefined && schema.properties !== undefined)
      expect(Object.keys(schema.properties), names.join()).toEqual(expect.arrayContaining(inner as string[]));
  }
});
