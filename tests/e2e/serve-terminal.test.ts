import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { onTerminal } from './pseudo-terminal.ts';
import { startedServer } from './served-project.ts';

let project: PlannedProject;
beforeAll(async () => {
  project = plannedProject(
    {
      'config.yaml': 'name: rides\nmodel_defaults: {dialect: duckdb}\n',
      'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a\n',
    },
    '2025-06-15',
  );
  const planned = await project.plinth('plan', '--yes');
  if (planned.code !== 0) throw new Error(planned.stderr);
});
afterAll(() => project.remove());

test('serve on a terminal prints every address before the first line of the log', {
  timeout: 60_000,
}, async () => {
  using server = onTerminal(['serve', '--port', '0'], { cwd: project.folder });
  await server.until('/metrics');
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(server.shown())?.[0] ?? '';
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  await server.until('"route":"/livez"');
  const base = `${url}/plinth/tenants/default/data-products/default-rides`;
  const [above = ''] = server.shown().split('{"at"');
  expect(above).toBe(`Serving default/rides at ${url} until Ctrl-C:
  start page         ${url}/
  Data Product API   ${base}/api/v1
  GraphQL            ${base}/graphql
  API reference      ${base}/api/v1/reference
  OpenAPI            ${base}/api/v1/openapi.json
  Platform API       ${url}/platform-api/v1
  its reference      ${url}/platform-api/reference
  health, metrics    ${url}/readyz, ${url}/metrics

`);
  expect((await fetch(`${base}/api/v1/reference`)).status).toBe(200);
  expect((await fetch(`${base}/graphql`, { headers: { accept: 'text/html' } })).status).toBe(200);
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
});

test('serve elsewhere prints one line, with --json one event', async () => {
  const server = await startedServer(project.folder, []);
  try {
    expect(server.output().stdout.split('\n')).toHaveLength(2);
    expect(server.products.map(({ base_url }) => base_url)).toEqual([
      `${server.url}/plinth/tenants/default/data-products/default-rides/api/v1`,
    ]);
  } finally {
    await server.stop();
  }
});
