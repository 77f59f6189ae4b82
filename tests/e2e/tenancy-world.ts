/*
 * Two tenants with twin products in one server. Everything that belongs to one of them carries its word, in rows, names,
 * descriptions, owners, tags, groups, tokens, statements and errors, so that whatever of one comes to the other shows.
 */
import { SEMANTIC_PROJECT } from './semantic-project.ts';
import { type Answer, type AskOptions, configOf, type ServedTwins, servedTwins } from './served-twins.ts';

export type TenantName = 'acme' | 'globex';

/** Words of one length, so that answers differ in nothing else. `absent` belongs to nobody. */
export const WORD = { acme: 'azurite', globex: 'quetzal', absent: 'vanadia' } as const;

/** One of each kind of thing that addresses and bodies name. */
export interface Ids {
  readonly tenant: string;
  readonly word: string;
  readonly statement: string;
  readonly failed: string;
  readonly plan: string;
  readonly run: string;
  readonly token: string;
  readonly user: string;
  readonly userId: string;
  readonly account: string;
  readonly group: string;
  readonly model: string;
  readonly semantic: string;
  readonly metric: string;
  readonly app: string;
  readonly request: string;
  readonly rule: string;
  readonly result: string;
  readonly incident: string;
  readonly held: string;
  readonly checks: string;
}

/** Callers of one tenant: the administrator, a reader, and somebody who belongs to it and has no role. */
export interface Callers {
  readonly admin: string;
  readonly viewer: string;
  readonly nobody: string;
}

export interface TenancyWorld {
  readonly twins: ServedTwins;
  readonly ids: Readonly<Record<TenantName | 'absent', Ids>>;
  readonly callers: Readonly<Record<TenantName, Callers>>;
  /** All secrets that were ever handed out. */
  readonly secrets: readonly string[];
}

export const PLATFORM = '/platform-api/v1';

/** A twin: the same names and shapes everywhere, its own word in all that can be told. */
export function marked(tenant: string): Readonly<Record<string, string>> {
  const word = WORD[tenant as TenantName];
  const amount = tenant === 'acme' ? '10.00' : '11.00';
  const own = Object.fromEntries(
    Object.entries(SEMANTIC_PROJECT).map(([path, text]) => [
      path,
      text
        .replaceAll("'pen'", `'${word} pen'`)
        .replaceAll('a@x.eu', `${word}@x.eu`)
        .replace("'completed', 10.00", `'completed', ${amount}`)
        .replace('description: Orders, each once.', `description: Orders of ${word}, each once.`)
        .replace('description: Revenue of the month.', `description: Revenue of ${word}.`)
        .replace('tags: [key]', `tags: [key, ${word}]`)
        .replace('grain order_id)', `grain order_id, description '${word} orders', owner ${word}_owner)`),
    ]),
  );
  return {
    ...own,
    'config.yaml': `${configOf(tenant)}display_name: Sales of ${word}
description: What ${word} sells.
domain: ${word} domain
owner: ${word}_owner
tags: [${word}]
terms: [${word} term]
`.replace('users: [', `users: [{username: ${word}_owner, groups: [${word}_owners]}, `),
    'README.md': `# ${word}\n`,
    'models/own.sql': `MODEL (name marts.${word}_own, kind FULL, description 'only ${word}', tags (${word}_tag), audits (${word}_audit, ${word}_holding));
SELECT said::TEXT AS ${word}_column -- ${word} comment
FROM (VALUES ('${word} cell'), ('${word} held')) AS t(said)
`,
    'audits/own.sql': `AUDIT (name ${word}_audit, blocking false);
SELECT * FROM @this_model WHERE ${word}_column = '${word} cell'
`,
    'audits/holding.sql': `AUDIT (name ${word}_holding, on_failure quarantine);
SELECT * FROM @this_model WHERE ${word}_column = '${word} held'
`,
    'models/semantics/own.yml': `kind: semantic
name: ${word}_view
depends_on: marts.${word}_own
description: View of ${word}.
dimensions: [${word}_column]
measures: [{name: ${word}_count, type: count}]
`,
    'dq/own.yml': `kind: dq
name: ${word}_pack
depends_on: marts.${word}_own
owner: ${word}_owner
profiles: '*'
rules:
  - failed rows: {name: ${word}_rule, fail_query: "SELECT * FROM marts.${word}_own"}
`,
    'models/metrics/own.yml': `kind: metric
name: ${word}_metric
description: Metric of ${word}.
measure: orders.revenue
ts: orders.ordered_on
granularity: month
`,
  };
}

export async function tenancyWorld(): Promise<TenancyWorld> {
  const twins = await servedTwins([], marked);
  const secrets: string[] = [twins.root];
  const populated = async (tenant: TenantName): Promise<readonly [Callers, Ids]> => {
    const base = tenant === 'acme' ? twins.acme : twins.globex;
    const word = WORD[tenant];
    const admin = await twins.person(tenant, 'ada', { role: 'admin', groups: ['admin'] });
    const viewer = await twins.person(tenant, 'vic', { role: 'viewer' });
    const nobody = await twins.person(tenant, 'nemo');
    const other = await twins.person(tenant, `${word}_user`, { groups: [`${word}_group`] });
    secrets.push(admin, viewer, nobody, other);
    const must = async (method: string, path: string, options: AskOptions): Promise<Answer['body']> => {
      const answer = await twins.ask(method, path, options);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.body;
    };
    const at = `${PLATFORM}/tenants/${tenant}`;
    const users = await must('GET', `${at}/users`, { apikey: admin });
    await must('POST', `${at}/service-accounts`, { apikey: admin, body: { name: `${word}_bot` } });
    await must('PUT', `${at}/resources/apps/sales/grants/${word}_user`, {
      apikey: admin,
      body: { role: 'consumer' },
    });
    const token = await must('POST', `${at}/tokens`, { apikey: admin, body: { name: `${word}_token` } });
    secrets.push(token.token);
    const submit = (sql: string) =>
      must('POST', `${base}/query/statement`, {
        bearer: admin,
        body: { sql, wait: 30, tags: [`${word}_statement`] },
      });
    const statement = await submit(`SELECT *, '${word} text' AS said FROM marts.${word}_own`);
    const failed = await submit(`SELECT ${word}_column::INTEGER AS n FROM marts.${word}_own`);
    if (statement.status !== 'SUCCESS' || failed.status !== 'FAILED')
      throw new Error(JSON.stringify([statement, failed]));
    const plan = await must('POST', `${base}/activity/plans`, {
      bearer: admin,
      body: { environment: `${word}_env` },
    });
    const runs = await must('GET', `${base}/activity/runs`, { bearer: admin });
    const first = async (list: string): Promise<string> =>
      (await must('GET', `${base}/dq/${list}`, { bearer: admin })).items[0].id;
    const asked = await must('POST', `${at}/access-requests`, {
      apikey: nobody,
      body: { app: 'sales', role: 'consumer', reason: `${word} reason` },
    });
    return [
      { admin, viewer, nobody },
      {
        ...namesOf(tenant, word),
        statement: statement.id,
        failed: failed.id,
        plan: plan.id,
        run: runs.items[0].id,
        token: token.id,
        userId: users.items.find((user: { name: string }) => user.name === `${word}_user`).id,
        request: asked.id,
        rule: await first('rules'),
        result: await first('results'),
        incident: await first('incidents'),
        held: await first('quarantine'),
        checks: (await must('POST', `${base}/dq/run`, { bearer: admin, body: { wait: 30 } })).id,
      },
    ];
  };
  const [acme, acmeIds] = await populated('acme');
  const [globex, globexIds] = await populated('globex');
  const never = (id: string): string => `${id.slice(0, -4)}zzzz`;
  const absent: Ids = {
    ...namesOf('nowher', WORD.absent),
    statement: never(globexIds.statement),
    failed: never(globexIds.failed),
    plan: never(globexIds.plan),
    run: never(globexIds.run),
    token: never(globexIds.token),
    userId: never(globexIds.userId),
    request: never(globexIds.request),
    rule: never(globexIds.rule),
    result: never(globexIds.result),
    incident: never(globexIds.incident),
    held: never(globexIds.held),
    checks: never(globexIds.checks),
  };
  return {
    twins,
    secrets,
    callers: { acme, globex },
    ids: { acme: acmeIds, globex: globexIds, absent },
  };
}

const namesOf = (tenant: string, word: string) => ({
  tenant,
  word,
  user: `${word}_user`,
  account: `${word}_bot`,
  group: `${word}_group`,
  model: `marts.${word}_own`,
  semantic: `${word}_view`,
  metric: `${word}_metric`,
  app: word === WORD.absent ? 'gonee' : 'sales',
});
