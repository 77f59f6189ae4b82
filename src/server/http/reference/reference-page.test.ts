import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SERVER_LIMITS } from '../../../domain/server-limits.ts';
import { openapiDocument } from '../openapi/openapi-document.ts';
import { platformApi } from '../platform-api.ts';
import { productApi } from '../product-api.ts';
import { REFERENCE_POLICY, referencePage } from './reference-page.ts';
import { exampleOf } from './schema-html.ts';

const product = openapiDocument(
  productApi('plinth', {} as never, { limits: SERVER_LIMITS, version: '1.0.0' }),
  {
    version: '1.0.0',
    server: '/x',
  },
);
const platform = openapiDocument(
  platformApi(
    { service: 'plinth', version: '1.0.0', limits: SERVER_LIMITS, startedAt: 0, jwks: { keys: [] } },
    [],
  ),
  { version: '1.0.0', server: '/y' },
);
const PLACE = { base: 'https://data.example.com/api/v1', documentPath: '/api/v1/openapi.json' };

describe.each([
  ['product', product],
  ['platform', platform],
] as const)('the page of the %s API', (_, document) => {
  const page = referencePage(document)(PLACE);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

  test('has every operation once, in the list and as an article, with a line to paste', () => {
    expect(operations.length).toBeGreaterThan(20);
    for (const { operationId } of operations) {
      expect(page.split(`<article id="${operationId}"`).length, operationId).toBe(2);
      expect(page.split(`<li><a href="#${operationId}"`).length, operationId).toBe(2);
    }
    expect(page.match(/<pre tabindex="0">curl -s/g)).toHaveLength(operations.length);
  });

  test('runs and shows only what its policy knows by hash', () => {
    const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const parts = (tag: string): readonly string[] =>
      [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text]) => text as string);
    expect([parts('style').length, parts('script').length]).toEqual([1, 1]);
    expect(REFERENCE_POLICY).toContain(`style-src ${hash(parts('style')[0] as string)}`);
    expect(REFERENCE_POLICY).toContain(`script-src ${hash(parts('script')[0] as string)}`);
    expect(REFERENCE_POLICY).toContain("default-src 'none'");
    expect(REFERENCE_POLICY).not.toContain('unsafe');
    expect(page).not.toMatch(/ (?:style|on\w+)="/);
  });

  test('loads nothing from elsewhere', () => {
    expect(page).not.toMatch(/<(?:img|link|iframe|object|embed)\b|\bsrc=|@import|url\(/i);
    for (const [, address] of page.matchAll(/href="([^"]*)"/g)) expect(address).toMatch(/^(?:#|\/)/);
  });

  test('says what is wrong with codes and what to do', () => {
    expect(page).toContain('<code>auth.missing</code>');
    expect(page).toContain('wait as long as Retry-After says');
  });

  test('is not led astray by the address of its reader', () => {
    const hostile = referencePage(document)({
      base: 'http://x/"><script>alert(1)</script>',
      documentPath: '"><img src=x>',
    });
    expect(hostile).not.toContain('<script>alert');
    expect(hostile).not.toContain('<img');
  });
});

test('bodies in the lines to paste fit their schemas', () => {
  for (const document of [product, platform])
    for (const { requestBody, operationId } of Object.values(document.paths).flatMap((each) =>
      Object.values(each),
    )) {
      const schema = requestBody?.content['application/json']?.schema;
      if (schema === undefined) continue;
      const example = exampleOf(schema) as Readonly<Record<string, unknown>>;
      const known = Object.keys(schema['properties'] as object);
      for (const name of Object.keys(example)) expect(known, operationId).toContain(name);
    }
});
