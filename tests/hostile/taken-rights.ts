/* Ways to take a right from a caller, and doors that give what was asked before: `taken-rights.test.ts` goes by each way to each door. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GUARDED_CONFIG, PEOPLE_YML, POLICIES } from '../support/guarded-project.ts';
import type { ServedPlatform } from '../support/served-platform.ts';

/** In rows, and in the words of a question. */
export const ROW = 'bob@x.us';
export const WORD = 'word_of_mine';

export const BASE = '/plinth/tenants/default/data-products/default-guarded/api/v1';
const SEMANTIC = 'models/semantics/people.yml';

/** How questions are spelled; each has `WORD` in it and `ROW` in its rows. */
export const QUESTIONS = {
  semantic: {
    path: '/query/semantic/rest',
    body: {
      query: {
        dimensions: ['people.email', 'people.country'],
        filters: [{ member: 'people.email', operator: 'notEquals', values: [WORD] }],
      },
    },
  },
  'semantic SQL': {
    path: '/query/semantic/sql',
    body: { sql: `SELECT email, country FROM people WHERE email <> '${WORD}'` },
  },
  table: {
    path: '/query/statement',
    body: { sql: `SELECT email, country FROM marts.people WHERE email <> '${WORD}'`, wait: 20 },
  },
  'raw table': {
    path: '/query/statement',
    body: { sql: `SELECT email, country FROM raw.people WHERE email <> '${WORD}'`, wait: 20 },
  },
  GraphQL: {
    path: '/query/semantic/graphql',
    body: { query: `{ people(where: {email: {notEquals: "${WORD}"}}) { email country } }` },
  },
} as const;

export type Spelling = keyof typeof QUESTIONS;
const SEMANTIC_ONES: readonly Spelling[] = ['semantic', 'semantic SQL', 'GraphQL'];
const ALL: readonly Spelling[] = [...SEMANTIC_ONES, 'table'];

export const CONFIG = `${GUARDED_CONFIG}access:
  - {principal: support, models: [raw.people]}
  - {principal: testers, environments: [dev]}
  - {principal: auditors, policies: exempt}
`;

/** Somebody who has asked; `token` is what they read with, by and by. */
interface Asker {
  readonly name: string;
  token: string;
}

/** A right that a caller has, loses and has again. */
export interface Way {
  readonly name: string;
  readonly asks: readonly Spelling[];
  readonly environment?: string;
  /** What the asker is given at first. */
  readonly person: Readonly<Record<string, unknown>>;
  readonly before?: (served: ServedPlatform, asker: Asker) => Promise<void>;
  readonly take: (served: ServedPlatform, asker: Asker) => Promise<void>;
  readonly giveBack: (served: ServedPlatform, asker: Asker) => Promise<void>;
  /** Leaves the product as it was. */
  readonly after?: (served: ServedPlatform, asker: Asker) => Promise<void>;
}

type Change = Way['take'];

async function done(answer: Promise<{ readonly status: number; readonly code: string }>): Promise<void> {
  const { status, code } = await answer;
  if (status >= 300) throw new Error(code);
}

const asRoot =
  (method: string, path: (name: string) => string, body?: unknown): Change =>
  (served, { name }) =>
    done(
      served.ask(
        served.root,
        method,
        `/tenants/default${path(name)}`,
        body === undefined ? {} : { body: JSON.parse(JSON.stringify(body).replaceAll('NAME', name)) },
      ),
    );
const userOf = (name: string): string => `/users/${name}`;
const grantOf = (name: string): string => `/resources/apps/guarded/grants/${name}`;
const groups = (...names: readonly string[]): Change => asRoot('PATCH', userOf, { groups: names });
const role = (name: string | null): Change => asRoot('PATCH', userOf, { role: name });
const planned =
  (text: string, environment?: string): Change =>
  (served) =>
    served.plan({ [SEMANTIC]: text }, environment);
const configured =
  (text: string): Change =>
  async (served) => {
    await served.plan({ 'config.yaml': `${text}\n${served.gateways}` });
    await served.restart();
  };

/** A token of the asker with these scopes only. */
const scopes =
  (...names: readonly string[]): Change =>
  async (served, asker) => {
    const made = await served.ask(served.root, 'POST', '/tenants/default/tokens', {
      body: { principal: asker.name, name: names.join(), scopes: names },
    });
    if (made.status !== 201) throw new Error(made.code);
    asker.token = made.body.token as string;
  };

const GUARDED = `${PEOPLE_YML}${POLICIES}`;
const ADMIN = { role: 'viewer', groups: ['admin'] };
const asAdmin = { asks: ALL, person: ADMIN, giveBack: groups('admin') };
const asPlanned = { person: ADMIN, giveBack: planned(GUARDED) };

/** A policy whose filter is over a member, and the other way round what that member could mean. */
const OF_US = `${GUARDED}  - {group: us, filter: [{member: country, operator: equals, values: [US]}]}\n`;
const TURNED = "CASE WHEN {id} = 2 THEN 'EU' ELSE 'US' END";

/** The policy of the group of those who ask. */
const policyOfAdmin = (policy: string): string => GUARDED.replace('{group: admin}', policy);

export const WAYS: readonly Way[] = [
  { ...asAdmin, name: 'a group is taken from the user', take: groups() },
  { ...asAdmin, name: 'another group takes its place, with fewer rows', take: groups('eu') },
  { ...asAdmin, name: 'another group takes its place, with masks', take: groups('masked') },
  {
    ...asAdmin,
    name: 'the user is taken from the group',
    take: asRoot('PATCH', () => '/groups/admin', { remove: ['NAME'] }),
    giveBack: asRoot('PATCH', () => '/groups/admin', { add: ['NAME'] }),
  },
  { ...asAdmin, name: 'the role is taken', take: role(null), giveBack: role('viewer') },
  {
    name: 'the role is lowered to one that may not ask the environment',
    asks: ALL,
    environment: 'dev',
    person: { role: 'developer', groups: ['admin'] },
    take: role('viewer'),
    giveBack: role('developer'),
  },
  {
    name: 'the grant is removed',
    asks: ALL,
    person: { groups: ['admin'] },
    before: asRoot('PUT', grantOf, { role: 'consumer' }),
    take: asRoot('DELETE', grantOf),
    giveBack: asRoot('PUT', grantOf, { role: 'consumer' }),
  },
  {
    name: 'the grant has ended',
    asks: ALL,
    person: { groups: ['admin'] },
    before: asRoot('PUT', grantOf, { role: 'consumer' }),
    take: async (served, asker) => {
      await asRoot('PUT', grantOf, { role: 'consumer', expires_in: 1 })(served, asker);
      for (let left = 600; left > 0; left--) {
        if ((await served.ask(asker.token, 'GET', `${BASE}/metadata`)).status === 403) return;
        // A token may ask a hundred times a second; the doors that are tried next have their share.
        await sleep(25);
      }
      throw new Error('the grant does not end');
    },
    giveBack: asRoot('PUT', grantOf, { role: 'consumer' }),
  },
  {
    name: 'the token has no scope for models',
    asks: ['table'],
    person: ADMIN,
    take: scopes('query:read', 'activity:read'),
    giveBack: scopes('query:read', 'activity:read', 'query:models'),
  },
  {
    name: 'the token has no scope for questions',
    asks: ALL,
    person: ADMIN,
    take: scopes('metadata:read', 'activity:read'),
    giveBack: scopes('query:read', 'query:models', 'activity:read'),
  },
  {
    name: 'a policy is planned where there was none',
    asks: ALL,
    person: { role: 'viewer', groups: ['eu'] },
    before: planned(PEOPLE_YML),
    take: planned(GUARDED),
    giveBack: planned(PEOPLE_YML),
    after: planned(GUARDED),
  },
  {
    ...asPlanned,
    name: 'the policy gets a filter',
    asks: ALL,
    take: planned(
      policyOfAdmin('{group: admin, filter: [{member: country, operator: equals, values: [EU]}]}'),
    ),
  },
  {
    ...asPlanned,
    name: 'the policy gets a mask',
    asks: ALL,
    take: planned(policyOfAdmin('{group: admin, mask: [email]}')),
  },
  { ...asPlanned, name: 'the policy goes', asks: ALL, take: planned(policyOfAdmin('{group: payers}')) },
  {
    name: 'the filter of the policy means other rows',
    asks: SEMANTIC_ONES,
    person: { role: 'viewer', groups: ['us'] },
    before: planned(OF_US),
    take: planned(OF_US.replace('country, ', `{name: country, expression: "${TURNED}"}, `)),
    giveBack: planned(OF_US),
    after: planned(GUARDED),
  },
  {
    ...asPlanned,
    name: 'a member is made private',
    asks: SEMANTIC_ONES,
    take: planned(GUARDED.replace('{name: email,', '{name: email, public: false,')),
  },
  {
    ...asPlanned,
    name: 'a member goes',
    asks: SEMANTIC_ONES,
    take: planned(
      `kind: semantic\nname: people\ndepends_on: marts.people\ndimensions: [id, country]\npolicies:\n  - {group: admin}\n`,
    ),
  },
  {
    name: 'the policies of the default environment hold in another one',
    asks: SEMANTIC_ONES,
    environment: 'dev',
    person: { role: 'viewer', groups: ['eu', 'testers'] },
    before: async (served, asker) => {
      await planned(PEOPLE_YML, 'dev')(served, asker);
      await planned(PEOPLE_YML)(served, asker);
    },
    take: planned(GUARDED),
    giveBack: planned(PEOPLE_YML),
    after: async (served, asker) => {
      await planned(GUARDED, 'dev')(served, asker);
      await planned(GUARDED)(served, asker);
    },
  },
  {
    name: 'the model is opened no more',
    asks: ['raw table'],
    person: { role: 'viewer', groups: ['support'] },
    take: configured(CONFIG.replace('models: [raw.people]', 'models: [far.days]')),
    giveBack: configured(CONFIG),
  },
  {
    name: 'the environment is opened no more',
    asks: ALL,
    environment: 'dev',
    person: { role: 'viewer', groups: ['admin', 'testers'] },
    take: configured(CONFIG.replace('environments: [dev]', 'environments: [test]')),
    giveBack: configured(CONFIG),
  },
  {
    name: 'policies are exempted no more',
    asks: ALL,
    person: { role: 'viewer', groups: ['auditors'] },
    take: configured(CONFIG.replace('principal: auditors', 'principal: others')),
    giveBack: configured(CONFIG),
  },
];

/** What was asked, and under which key. */
export interface Kept {
  readonly id: string;
  readonly spelling: Spelling;
  readonly body: unknown;
  readonly key: string;
}

/** An address that gives something of what was asked before. */
export interface Door {
  readonly name: string;
  /** Rows: refused when the right is gone. Words: without them. Anew: as somebody who asks it for the first time. */
  readonly gives: 'rows' | 'words' | 'anew';
  readonly ask: (kept: Kept) => {
    readonly path: string;
    readonly body?: unknown;
    readonly key?: string;
  };
}

const resultAs = (format: string): Door => ({
  name: `the result as ${format}`,
  gives: 'rows',
  ask: ({ id }) => ({ path: `/query/statement/${id}/result?format=${format}` }),
});
const words = (name: string, path: (id: string) => string, body?: unknown): Door => ({
  name,
  gives: 'words',
  ask: ({ id }) => ({ path: path(id), ...(body === undefined ? {} : { body }) }),
});
const again = ({ spelling, body }: Kept) => ({ path: QUESTIONS[spelling].path, body });

export const DOORS: readonly Door[] = [
  ...['json', 'csv', 'ndjson', 'arrow', 'parquet'].map(resultAs),
  {
    name: 'a page in the middle',
    gives: 'rows',
    ask: ({ id }) => ({ path: `/query/statement/${id}/result?offset=1&limit=1` }),
  },
  { name: 'a replay', gives: 'rows', ask: (kept) => ({ ...again(kept), key: kept.key }) },
  words('the statement', (id) => `/query/statement/${id}`),
  words('the statement with wait', (id) => `/query/statement/${id}?wait=5`),
  words('the statement, cancelled', (id) => `/query/statement/${id}/cancel`, {}),
  words('statements', () => '/query/statement?limit=1000'),
  words('statements of all', () => '/query/statement?limit=1000&all=true'),
  words('the activity', () => '/activity/queries?limit=1000'),
  words('events', () => '/activity?limit=1000'),
  words('statements by GraphQL', () => '/query/semantic/graphql', {
    query: '{ statements(first: 100) { edges { node { id sql status } } } }',
  }),
  // The last, since it makes a statement of its own.
  { name: 'the same question', gives: 'anew', ask: again },
];
