import { type Operation, operationsOf, type ServedTwins } from '../e2e/served-twins.ts';

/** An operation with an address that its caller may use. */
export interface Target extends Operation {
  readonly url: string;
  /** Statuses that the document has for it. */
  readonly statuses: ReadonlySet<number>;
  /** Who may, in the words of the document. */
  readonly access: string;
  readonly credential: (value: string) => { readonly bearer?: string; readonly apikey?: string };
}

/** Every operation of both documents, streams left out: they have no end. */
export async function hostileTargets(twins: ServedTwins, token: string): Promise<readonly Target[]> {
  const filled = (path: string): string =>
    path
      .replace('{tenant}', 'acme')
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'name' ? 'sales' : 'none'));
  const [platform, product] = [
    (await twins.ask('GET', '/platform-api/openapi.json')).body,
    (await twins.ask('GET', `${twins.acme}/openapi.json`, { bearer: token })).body,
  ];
  const targetsOf = (
    document: Parameters<typeof operationsOf>[0],
    base: string,
    credential: Target['credential'],
  ): readonly Target[] =>
    operationsOf(document).map((operation) => {
      const documented = document.paths[operation.path]?.[operation.method.toLowerCase()] ?? {};
      return {
        ...operation,
        url: `${base}${filled(operation.path)}`,
        statuses: new Set(Object.keys(documented['responses'] as object).map(Number)),
        access: String(documented['description']),
        credential,
      };
    });
  return [
    ...targetsOf(platform, `${twins.served.url}/platform-api/v1`, (value) => ({ apikey: value })),
    ...targetsOf(product, twins.acme, (value) => ({ bearer: value })),
  ].filter(({ id }) => id !== 'streamEvents');
}

/** The header of a credential, as it is on the wire. */
export function headerOf(target: Target, value: string): string {
  const { bearer, apikey } = target.credential(value);
  return bearer === undefined ? `apikey: ${apikey}` : `Authorization: Bearer ${bearer}`;
}
