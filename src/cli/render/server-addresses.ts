import type { RunningServer } from '../../operations/serve/running-server.ts';

const LABEL_WIDTH = 19;

/** The addresses of a server as text: a line for each address, and an empty one before the log. */
export function serverAddresses({
  url,
  products,
}: Pick<RunningServer, 'url' | 'products'>): readonly string[] {
  const line = (label: string, ...addresses: readonly string[]): string =>
    `  ${label.padEnd(LABEL_WIDTH)}${addresses.join(', ')}`;
  const names = products.map(({ tenant, name }) => `${tenant}/${name}`);
  const ofProducts = products.flatMap(({ baseUrl, graphqlUrl }, index) => [
    ...(products.length === 1 ? [] : [` ${names[index]}`]),
    line('Data Product API', baseUrl),
    line('GraphQL', graphqlUrl),
    line('API reference', `${baseUrl}/reference`),
    line('OpenAPI', `${baseUrl}/openapi.json`),
  ]);
  return [
    `Serving ${names.join(', ')} at ${url} until Ctrl-C:`,
    line('start page', `${url}/`),
    ...ofProducts,
    ...(products.length === 1 ? [] : [' all']),
    line('Platform API', `${url}/platform-api/v1`),
    line('its reference', `${url}/platform-api/reference`),
    line('health, metrics', `${url}/readyz`, `${url}/metrics`),
    '',
  ];
}
