/** A served product with policies, and callers whom they leave different rows. */
import { type Answer, type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

export const PEOPLE: Readonly<Record<string, string>> = {
  'models/people.sql': `MODEL (name marts.people, kind FULL);
SELECT * FROM (VALUES (1, 'ann@x.eu', 'EU', 10), (2, 'bob@x.us', 'US', 20), (3, 'eve@x.eu', 'EU', 30)) AS t(id, email, country, spend)`,
  'models/semantics/people.yml': `kind: semantic
name: people
depends_on: marts.people
dimensions: [{name: id, type: number, sql: id, primary_key: true}, email, country]
measures: [{name: spend, type: sum, expression: "{spend}"}, {name: heads, type: count}]
policies:
  - {group: whole}
  - {group: eu, filter: [{member: country, operator: equals, values: [EU]}]}
`,
};

export const base = (product: string): string => `/plinth/tenants/acme/data-products/acme-${product}/api/v1`;
export const BASE = base('one');

export type Caller = 'ann' | 'bob' | 'cy' | 'dora';
export type Tokens = Readonly<Record<Caller, string>>;

/** `ann` sees all rows, `bob` those of the EU, `cy` none; `dora` administers the products and sees all. */
export async function perspectivePlatform(
  products: readonly string[] = ['one'],
): Promise<{ readonly served: ServedPlatform; readonly tokens: Tokens }> {
  const served = await servedPlatform(
    products.map(
      (name) =>
        `name: ${name}\ntenant: acme\nusers: [{username: x, groups: [whole, eu, sales]}]\nserver: {limits: {requests_per_second: 100000}}`,
    ),
    PEOPLE,
  );
  const tokens = {
    ann: await served.person('acme', 'ann', { role: 'viewer', groups: ['whole', 'sales'] }),
    bob: await served.person('acme', 'bob', { role: 'viewer', groups: ['eu'] }),
    cy: await served.person('acme', 'cy', { role: 'viewer' }),
    dora: await served.person('acme', 'dora', { role: 'admin', groups: ['whole'] }),
  };
  return { served, tokens };
}

export const askerOf =
  ({ served, tokens }: { readonly served: ServedPlatform; readonly tokens: Tokens }, at = BASE) =>
  (
    who: Caller,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> =>
    served.ask(tokens[who], method, `${at}${path}`, {
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers }),
    });
