/** `/` is a small page for people with a browser; programs get what they got. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import type { RunningServer } from '../../src/operations/serve/running-server.ts';
import { startServer } from '../../src/server/start-server.ts';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';
import { planProduct } from '../support/served-product.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const page = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${url}/`, { headers: { accept: BROWSER, ...headers } });

describe('without authentication', () => {
  let project: TemporaryProject;
  let server: RunningServer;
  beforeAll(async () => {
    project = temporaryProject({
      'config.yaml': `name: rides
display_name: '<img src=x onerror=alert(1)> & Co'
description: 'Where "taxis" <b>go</b>'
gateways: {local: {connection: {type: duckdb, database: w.duckdb}}}
`,
      'models/trips.sql': `MODEL (name staging.trips, kind FULL, description '<script>alert(2)</script>');
SELECT 1 AS id, 2 AS fare
`,
    });
    const options = { folders: [project.folder], variables: {}, executionTime: Date.UTC(2026, 0, 2) };
    const platform = await openPlatform(options);
    for (const product of platform.products) await planProduct(product);
    await platform.close();
    server = await startServer({
      ...options,
      host: '127.0.0.1',
      port: 0,
      auth: 'disabled',
      hasScheduler: false,
      isForced: false,
      log: () => undefined,
    });
  });
  afterAll(async () => {
    await server?.close();
    project?.delete();
  });

  test('a browser gets the product, its health, its models and the ways to ask it', async () => {
    const answer = await page(server.url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await answer.text();
    // The model was filled long ago, so it is late.
    for (const part of ['staging.trips', 'full', 'caution', 'ready']) expect(html).toContain(part);
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link]) => link as string);
    const base = '/plinth/tenants/default/data-products/default-rides';
    expect(links).toEqual(
      expect.arrayContaining([
        `${base}/api/v1/reference`,
        `${base}/api/v1/openapi.json`,
        `${base}/graphql`,
        '/platform-api/reference',
        '/platform-api/openapi.json',
        '/readyz',
      ]),
    );
    for (const link of links) {
      const there = await fetch(new URL(link, `${server.url}/`), { headers: { accept: `${BROWSER}` } });
      expect([link, there.status]).toEqual([link, 200]);
    }
  });

  test('texts of the project stay texts, and nothing is loaded or run', async () => {
    const answer = await page(server.url);
    const html = await answer.text();
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; Co');
    expect(html).toContain('&lt;script&gt;alert(2)&lt;/script&gt;');
    expect(html).toContain('Where &quot;taxis&quot; &lt;b&gt;go&lt;/b&gt;');
    expect(html).not.toMatch(/<script|<img|<link|<iframe/i);
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('vary')).toContain('accept');
  });

  test('any other client gets the 404 that it got', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', '']) {
      const answer = await fetch(`${server.url}/`, { headers: { accept } });
      expect([accept, answer.status, await answer.json()]).toEqual([
        accept,
        404,
        expect.objectContaining({ code: 'http.not-found' }),
      ]);
    }
    const posted = await fetch(`${server.url}/`, { method: 'POST', headers: { accept: BROWSER } });
    expect(posted.status).toBe(404);
    expect((await page(`${server.url}/nothing`)).status).toBe(404);
  });
});

describe('with authentication', () => {
  let served: ServedPlatform;
  beforeAll(async () => {
    served = await servedPlatform(['name: one\ntenant: acme', 'name: two\ntenant: other']);
  });
  afterAll(() => served?.stop());

  test('a stranger sees neither products nor models, only how to be known', async () => {
    const answer = await page(served.url);
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(html).toContain('plinth token create');
    for (const hidden of ['acme', 'other', 's.m', 'one', 'two'])
      expect(html.replaceAll(/<style>[\s\S]*<\/style>/g, '')).not.toMatch(new RegExp(`\\b${hidden}\\b`));
  });

  test('a caller sees the products that are theirs, by token or API key', async () => {
    const ada = await served.person('acme', 'ada', { role: 'viewer' });
    for (const headers of [{ authorization: `Bearer ${ada}` }, { apikey: ada }]) {
      const html = await (await page(served.url, headers as Record<string, string>)).text();
      expect(html).toContain('acme-one');
      expect(html).not.toContain('other-two');
    }
    const nobody = await served.person('acme', 'bob');
    expect(await (await page(served.url, { authorization: `Bearer ${nobody}` })).text()).not.toContain(
      'acme-one',
    );
  });

  test('a credential that nobody has is refused', async () => {
    expect((await page(served.url, { authorization: 'Bearer plt_wrong' })).status).toBe(401);
  });
});
