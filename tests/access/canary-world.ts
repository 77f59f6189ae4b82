/**
 * A served product with values that only masked columns and hidden rows hold, planted wherever something could show them: samples, groups,
 * extremes, reasons, incidents, profiles and their drift, quarantine, failing rows and error texts of runs, results and errors of
 * statements, tests, arguments of audits.
 */
import { createServer, type Server } from 'node:http';
import type { CheckResult } from '../../src/domain/check-result.ts';
import { check } from '../../src/operations/quality/check.ts';
import { profile } from '../../src/operations/quality/profile.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

export const BASE = '/plinth/tenants/default/data-products/default-guarded/api/v1';
export const GRAPHQL = '/plinth/tenants/default/data-products/default-guarded/graphql';

/** Whose rows and columns are hidden; everything in a row is in no other. */
const PEOPLE = [
  { id: 1, email: 'ann@canary.eu', country: 'EU', spend: 10, salary: 911001 },
  { id: 2, email: 'bob@canary.us', country: 'US', spend: 20, salary: 922012 },
  { id: 3, email: 'eve@canary.eu', country: 'EU', spend: 30, salary: 933003 },
  // Held back: by an audit of a column that is shown, by one of a column that is masked.
  { id: 4, email: 'mal@canary.eu', country: 'XX', spend: 40, salary: 944004 },
  { id: 5, email: 'much.too.long@canary.us', country: 'US', spend: 50, salary: 955005 },
];
const LATER = { id: 6, email: 'zoe@canary.eu', country: 'EU', spend: 60, salary: 966006 };

const patternOf = (people: readonly (typeof LATER)[]): RegExp =>
  new RegExp(
    people
      .flatMap(({ email, salary }) => [email, `${salary}`])
      .join('|')
      .replaceAll('.', '\\.'),
    'i',
  );

/** In a text of the folder: whoever may plan has the files. */
const WRITTEN = { ...LATER, email: 'ivy@canary.eu' };

/** By reader: what nothing may show them. */
export const CANARIES = {
  /** Masks of email and salary; also of a reader who may plan and run. */
  masked: patternOf([...PEOPLE, LATER, WRITTEN]),
  editor: patternOf([...PEOPLE, LATER]),
  /** Rows of other countries. */
  filtered: patternOf([...PEOPLE.filter(({ country }) => country !== 'EU'), { ...WRITTEN, salary: 922012 }]),
  /** In no group that a policy names. */
  denied: patternOf([...PEOPLE, LATER, WRITTEN]),
} as const;

export type Reader = keyof typeof CANARIES;
export const READERS = Object.keys(CANARIES) as readonly Reader[];

const MODELS = ['raw.people', 'staging.people', 'marts.people'];
/** Of models that failed, and of those beside. */
export const EVERY_MODEL = [...MODELS, 'side.ids', 'side.broken', 'side.audited'];

const csvOf = (people: readonly (typeof LATER)[]): string =>
  ['id,email,country,spend,salary', ...people.map((each) => Object.values(each).join(',')), ''].join('\n');

const packOf = (model: string): string => `${model.replace('.', '_')}_dq`;

/** Rules of every kind over the masked columns: aggregates of one value are that value. */
const pack = (model: string): string => `kind: dq
name: ${packOf(model)}
depends_on: ${model}
profiles: '*'
rules:
  - invalid_count(email) = 0: {name: no_address, valid_values: [none], samples_limit: 5}
  - invalid_count(country) = 0: {name: no_country, valid_values: [none], samples_limit: 5}
  - min(salary) > 10000000: {name: lowest}
  - max(salary) < 1: {name: highest}
  - avg(salary) < 1: {name: mean}
  - median(salary) < 1: {name: middle}
  - percentile(salary, 0.9) < 1: {name: high}
  - sum(salary) < 1: {name: all_of_it, filter: "id = 1"}
  - max(spend) < 1: {name: by_mask, filter: "email LIKE 'ann%'"}
  - change for max(salary) > 1000%: {name: changed}
  - anomaly for max(salary): {name: strange, training: 2}
  - group by email: {row_count > 10}
  - group by salary: {row_count > 10}
  - for each column (*): missing_count = 1
  - failed rows: {name: everybody, fail_query: "SELECT * FROM ${model}", samples_limit: 5}
  - failed rows: {name: anybody, fail_condition: "id > 0", samples_limit: 5}
  - failed rows: {name: refused, fail_condition: "CAST(email AS INTEGER) > 0"}
  - values in (email) must exist in side.ids (country)
  - distribution(email): {against: previous, psi < 0.2}
  - distribution(salary): {against: previous, psi < 0.2}
`;

const FILES: Readonly<Record<string, string>> = {
  'data/people.csv': csvOf(PEOPLE),
  'models/raw.sql': `MODEL (name raw.people, kind FULL, audits (known_country, short_address));
SELECT id::INTEGER AS id, email, country, spend::INTEGER AS spend, salary::INTEGER AS salary, DATE '2025-01-01' AS joined
FROM READ_CSV('data/people.csv', header = true, all_varchar = true)
`,
  'models/staging.sql': `MODEL (name staging.people, kind FULL);
SELECT id, lower(email) AS email, country, spend, salary, joined FROM raw.people
`,
  'models/marts.sql': `MODEL (name marts.people, kind FULL, audits (not_accepted_values(column := email, is_in := ('ivy@canary.eu'))));
SELECT id, email, country, spend, salary, joined FROM staging.people
`,
  'models/ids.sql': 'MODEL (name side.ids, kind FULL);\nSELECT id AS number, country FROM raw.people\n',
  'audits/known_country.sql':
    "AUDIT (name known_country, on_failure quarantine);\nSELECT * FROM @this_model WHERE country NOT IN ('EU', 'US')\n",
  'audits/short_address.sql':
    'AUDIT (name short_address, on_failure quarantine);\nSELECT * FROM @this_model WHERE length(email) > 20\n',
  'models/semantics/people.yml': `kind: semantic
name: people
depends_on: marts.people
primary_key: [id]
dimensions: [id, {name: email, mask_expression: "'***'"}, country, {name: salary, mask_expression: "0"}, joined]
measures:
  - {name: spent, type: sum, expression: "{spend}"}
  - {name: earned, type: sum, expression: "{salary}"}
  - {name: top_salary, type: max, expression: "{salary}"}
  - {name: low_salary, type: min, expression: "{salary}"}
  - {name: mid_salary, type: median, expression: "{salary}"}
  - {name: last_address, type: max, expression: "{email}"}
policies:
  - {group: admin}
  - {group: eu, filter: [{member: country, operator: equals, values: [EU]}]}
  - {group: masked, mask: [email, salary]}
`,
  'models/metrics/top.yml': 'kind: metric\nname: top\nmeasure: people.top_salary\nts: people.joined\n',
  'models/metrics/addresses.yml':
    'kind: metric\nname: addresses\nmeasure: people.last_address\nts: people.joined\n',
  ...Object.fromEntries(MODELS.map((model) => [`dq/${model}.yml`, pack(model)])),
};

/** Models that fail, and quote a cell when they do; tests that do not pass. */
const FAILING: Readonly<Record<string, string>> = {
  'models/broken.sql':
    'MODEL (name side.broken, kind FULL);\nSELECT CAST(email AS INTEGER) AS n FROM raw.people\n',
  'models/audited.sql':
    'MODEL (name side.audited, kind FULL, audits (nobody));\nSELECT id, email, salary FROM raw.people\n',
  'audits/nobody.sql': 'AUDIT (name nobody);\nSELECT * FROM @this_model\n',
};
const TESTS: Readonly<Record<string, string>> = {
  'tests/people.yaml': `other_address:
  model: staging.people
  inputs:
    raw.people:
      query: "SELECT 1 AS id, 'ann@canary.eu' AS email, 'EU' AS country, 10 AS spend, 911001 AS salary, DATE '2025-01-01' AS joined"
  outputs:
    query: [{id: 1, email: none}]
`,
};

/** What rules can keep beside what they find here. */
const planted: readonly CheckResult[] = MODELS.flatMap((model, index) =>
  [['email'], undefined, ['salary']].map(
    (columns, nth): CheckResult => ({
      id: `c_planted.0000${index * 3 + nth}`,
      ...{ environment: 'prod', runId: 'c_planted', trigger: 'demand', at: 1, ms: 1, dataVersion: '1' },
      ...{ check: `${packOf(model)}/no_address/${nth}`, pack: packOf(model), rule: 'no_address', model },
      ...(columns === undefined ? {} : { columns }),
      ...{ dimension: 'validity', severity: 'error', outcome: 'fail', value: 911001, expected: 'nothing' },
      reason: 'there is ann@canary.eu',
      groups: [{ key: ['bob@canary.us'], value: 922012, outcome: 'fail' }],
      learned: { low: 911001, high: 933003, score: 3, points: 14 },
      baseline: 933003,
      shares: [{ bin: 'eve@canary.eu', share: 1 }],
      sql: "SELECT 'ann@canary.eu'",
      sample: { columns: ['id', 'email', 'salary'], rows: [[3, 'eve@canary.eu', 933003]], isPart: false },
    }),
  ),
);

export interface CanaryWorld {
  readonly served: ServedPlatform;
  readonly tokens: Readonly<Record<Reader | 'owner', string>>;
  /** Below the API of the product, unless the path begins with another door. */
  ask(who: Reader | 'owner', method: string, path: string, body?: unknown): Promise<Told>;
  /** What webhooks of readers got, by reader. */
  readonly messages: Readonly<Record<string, readonly string[]>>;
  stop(): Promise<void>;
}

/** An answer as bytes that are looked through. */
interface Told {
  readonly status: number;
  readonly text: string;
}

export async function canaryWorld(): Promise<CanaryWorld> {
  const served = await servedPlatform(
    [
      'name: guarded\nusers: [{username: any, groups: [admin, eu, masked]}]\nslo: {freshness: {max_age: 26h}}\nserver: {webhooks: {allow_private: true}, limits: {requests_per_second: 100000}}\n',
    ],
    FILES,
  );
  const person = (name: string, role: string, ...groups: readonly string[]): Promise<string> =>
    served.person('default', name, { role, groups });
  const tokens = {
    owner: await person('ona', 'admin', 'admin'),
    masked: await person('max', 'viewer', 'masked'),
    editor: await person('edi', 'developer', 'masked'),
    filtered: await person('eur', 'viewer', 'eu'),
    denied: await person('den', 'viewer'),
  };
  const messages = await heard(served, tokens);
  await observe(served);
  // Other data, so that profiles drift; and what fails.
  const raw = (FILES['models/raw.sql'] as string).replace('spend::INTEGER AS', 'spend::INTEGER + 0 AS');
  await served.plan({ 'data/people.csv': csvOf([...PEOPLE, LATER]), 'models/raw.sql': raw });
  await observe(served);
  for (const [path, text] of Object.entries(FAILING).filter(([name]) => name.startsWith('models/')))
    await served.plan({ ...FAILING, [path]: text }).then(
      () => Promise.reject(new Error(`${path} does not fail`)),
      (error: unknown) => {
        if (!/failed/.test(String(error))) throw error;
      },
    );
  served.write(TESTS);
  return {
    served,
    tokens,
    messages: messages.texts,
    ask: async (who, method, path, body) => {
      const own = path.startsWith('/plinth/') || path === '/metrics';
      const stopped = new AbortController();
      const isStream = path.startsWith('/activity/stream');
      const answer = await fetch(`${served.url}${own ? '' : BASE}${path}`, {
        method,
        signal: stopped.signal,
        headers: {
          authorization: `Bearer ${tokens[who]}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!isStream)
        return { status: answer.status, text: Buffer.from(await answer.arrayBuffer()).toString('latin1') };
      return { status: answer.status, text: await firstOf(answer, stopped) };
    },
    stop: async () => {
      await served.stop();
      await new Promise((ended) => messages.server.close(ended));
    },
  };
}

/** What a stream says at once: everything that has happened. */
async function firstOf(answer: Response, stopped: AbortController): Promise<string> {
  let text = '';
  const timer = setTimeout(() => stopped.abort(), 1_500);
  try {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString('utf8');
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return text;
}

/** Checks and profiles as they are now, besides what was planted. */
async function observe({ folders }: ServedPlatform): Promise<void> {
  const platform = await openPlatform({ folders, variables: {}, executionTime: Date.UTC(2026, 0, 2) });
  for (const { world } of platform.products) {
    await world.state.quality.recordResults(planted, []);
    for await (const event of check(world, { environment: 'prod', trigger: 'demand' }))
      if (event.event === 'checks.failed') throw new Error(event.error.message);
    for await (const _ of profile(world, { environment: 'prod' }));
  }
  await platform.close();
}

interface Heard {
  readonly server: Server;
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

/** Each of them hears of everything, through a webhook and the inbox, follows the models, and has a perspective. */
async function heard(served: ServedPlatform, tokens: Readonly<Record<string, string>>): Promise<Heard> {
  const texts: Record<string, string[]> = {};
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      texts[(request.url ?? '').slice(1)]?.push(Buffer.concat(parts).toString('utf8'));
      response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  for (const [who, token] of Object.entries(tokens)) {
    texts[who] = [];
    const made = async (method: string, path: string, body: unknown): Promise<{ readonly id: string }> => {
      const answer = await served.ask(token, method, `${BASE}${path}`, { body });
      if (answer.status >= 500 || (answer.status >= 300 && who === 'owner'))
        throw new Error(`${who} ${path}: ${answer.code}`);
      return answer.body;
    };
    const config = { url: `http://127.0.0.1:${port}/${who}` };
    const { id } = await made('POST', '/notifications/channels', { name: 'hook', kind: 'webhook', config });
    await made('POST', '/notifications/rules', { name: 'all', audience: { channels: [id] }, filter: {} });
    await made('PUT', '/followers/me?target=model:raw.people', { min_severity: 'info' });
    await made('PUT', '/followers/me?target=model:marts.people', { min_severity: 'info' });
    if (who !== 'denied')
      await made('POST', '/perspectives', {
        ...{ name: `View of ${who}`, slug: `view-of-${who}`, visibility: 'product' },
        query: { dimensions: ['people.id', 'people.email', 'people.salary'] },
      });
  }
  return { server, texts };
}
