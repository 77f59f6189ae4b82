/* Operations that nobody asks a question by, and that could tell rows or names all the same: lists, records, words of errors, exports. */
import type { Chance } from './chance.ts';
import { everyName } from './scan.ts';
import type { Sent, ServedWorld } from './served-world.ts';
import type { Caller, EnvironmentRole, WorldModel } from './world.ts';

/** What happened in a world that was closed, by ids. */
export interface Happened {
  readonly runs: readonly string[];
  /** Of a plan whose model quotes a cell. */
  readonly failedRun: string;
  readonly plans: readonly string[];
  /** Of the administrator: rows of protected models, and words that quote one. */
  readonly statements: readonly string[];
  readonly failedStatements: readonly string[];
  readonly lastEvent: number;
}

export interface Address extends Sent {
  /** It takes an environment, and was given this one. */
  readonly environment?: EnvironmentRole;
  readonly target?: WorldModel;
}

interface Around {
  readonly served: ServedWorld;
  readonly chance: Chance;
  readonly happened: Happened;
  readonly environment: EnvironmentRole;
}

export interface PassiveDoor {
  readonly operation: string;
  /** An address, chosen anew each time. */
  readonly address: (around: Around) => Address;
  /** Administrators find cells in it: what is hidden would show. */
  readonly isLoud?: true;
  /** It is open to editors and owners only. */
  readonly isForManagers?: true;
  /** Whose answers may name what is hidden: those who keep the files, and texts of others. */
  readonly namesFreely?: (caller: Caller) => boolean;
}

export const managers = ({ role }: Caller): boolean => role !== 'consumer';

/** With the environment in the address; the default one is named every second time. */
const inEnvironment = (
  path: string,
  { served, environment, chance }: Around,
  query: Readonly<Record<string, string>> = {},
): Address => {
  const isNamed = environment !== 'default' || chance.is(0.5);
  const text = new URLSearchParams({
    ...query,
    ...(isNamed ? { environment: served.environmentName(environment) } : {}),
  }).toString();
  return {
    method: 'GET',
    path: `${path}${text === '' ? '' : `?${text}`}`,
    ...(isNamed ? { environment } : {}),
  };
};

const get = (path: string): Address => ({ method: 'GET', path });

const someModel = ({ served, chance, environment }: Around): WorldModel =>
  chance.of(served.moment.stages[environment].models.filter(({ kind }) => kind !== 'ROLLUP'));

/** A model, or one of its columns. */
const reference = (around: Around): { readonly ref: string; readonly target: WorldModel } => {
  const target = someModel(around);
  const { chance } = around;
  return { ref: chance.is(0.5) ? target.name : `${target.name}.${chance.of(target.columns).name}`, target };
};

/** Formats that an export has; the registry holds them against the document. */
export const EXPORT_FORMATS = ['odcs', 'odps', 'openlineage', 'openapi', 'graphql', 'llms.txt'] as const;

export const PASSIVE_DOORS: readonly PassiveDoor[] = [
  { operation: 'getProduct', address: (around) => inEnvironment('/metadata', around) },
  {
    operation: 'listModels',
    address: (around) => inEnvironment('/metadata/models', around, { limit: '1000' }),
  },
  {
    operation: 'getModel',
    address: (around) => {
      const target = someModel(around);
      return { ...inEnvironment(`/metadata/models/${target.name}`, around), target };
    },
  },
  { operation: 'getSemantics', address: (around) => inEnvironment('/metadata/semantic', around) },
  {
    operation: 'getLineage',
    address: (around) => {
      const { ref, target } = reference(around);
      return { ...inEnvironment('/metadata/lineage', around, { ref }), target };
    },
  },
  {
    operation: 'getImpact',
    address: (around) => {
      const { ref, target } = reference(around);
      const change = around.chance.of(['values', 'type', 'rename', 'drop']);
      return { ...inEnvironment('/metadata/impact', around, { ref, change }), target };
    },
  },
  {
    operation: 'search',
    address: (around) => {
      const { world } = around.served;
      // By a name that is perhaps hidden, a letter short, so that the whole of it is in no question.
      const near = around.chance.of([...everyName(world)]).slice(0, -1);
      return inEnvironment('/metadata/search', around, { q: around.chance.of([near, 'mail', 'mart', 'vk']) });
    },
  },
  { operation: 'listChanges', address: (around) => inEnvironment('/metadata/changes', around) },
  {
    operation: 'exportProduct',
    address: (around) =>
      inEnvironment('/metadata/export', around, { format: around.chance.of(EXPORT_FORMATS) }),
  },
  {
    operation: 'queryGraphql',
    address: (around) => {
      const query = around.chance.of([
        '{ __schema { types { name description fields { name description args { name } } inputFields { name } enumValues { name } } } }',
        '{ _meta { product environment promotion_id } statements(first: 100) { edges { node { id sql status } } } }',
      ]);
      const { environment, path } = inEnvironment('', around);
      const named = new URLSearchParams(path.slice(1)).get('environment');
      return {
        method: 'POST',
        path: '/query/semantic/graphql',
        body: { query, ...(named === null ? {} : { environment: named }) },
        ...(environment === undefined ? {} : { environment }),
      };
    },
  },
  {
    operation: 'listStatements',
    address: ({ chance }) => get(`/query/statement?limit=1000${chance.is(0.7) ? '&all=true' : ''}`),
    isLoud: true,
    namesFreely: managers,
  },
  {
    operation: 'getStatement',
    address: ({ happened, chance }) =>
      get(`/query/statement/${chance.of(chance.is(0.5) ? happened.failedStatements : happened.statements)}`),
    isLoud: true,
    namesFreely: managers,
  },
  {
    operation: 'getStatementResult',
    address: ({ happened, chance }) =>
      get(
        `/query/statement/${chance.of(happened.statements)}/result?format=${chance.of(['json', 'csv', 'ndjson', 'arrow'])}`,
      ),
    isLoud: true,
    namesFreely: managers,
  },
  {
    operation: 'cancelStatement',
    address: ({ happened, chance }) => ({
      method: 'POST',
      path: `/query/statement/${chance.of(happened.failedStatements)}/cancel`,
    }),
    isLoud: true,
    namesFreely: managers,
  },
  {
    operation: 'listEvents',
    address: (around) =>
      around.chance.is(0.5)
        ? get('/activity?limit=1000')
        : inEnvironment('/activity', around, { limit: '1000' }),
    isLoud: true,
  },
  {
    operation: 'streamEvents',
    address: (around) => {
      const { happened } = around;
      const asked = around.chance.is(0.7)
        ? get('/activity/stream?since=0')
        : inEnvironment('/activity/stream', around, { since: '0' });
      // What was told last is told to all, or a beat is.
      return { ...asked, until: (text) => lastId(text) >= happened.lastEvent };
    },
    isLoud: true,
  },
  { operation: 'listPlans', address: (around) => inEnvironment('/activity/plans', around) },
  {
    operation: 'getPlan',
    address: ({ happened, chance }) => get(`/activity/plans/${chance.of(happened.plans)}`),
    namesFreely: managers,
  },
  {
    operation: 'previewPlan',
    address: ({ served, environment }) => ({
      method: 'POST',
      path: '/activity/plans',
      body: { environment: served.environmentName(environment) },
    }),
    isForManagers: true,
    namesFreely: managers,
  },
  { operation: 'listRuns', address: (around) => inEnvironment('/activity/runs', around) },
  {
    operation: 'getRun',
    address: ({ happened, chance }) =>
      get(`/activity/runs/${chance.is(0.4) ? happened.failedRun : chance.of(happened.runs)}`),
    isLoud: true,
  },
  {
    operation: 'cancelRun',
    address: ({ happened, chance }) => ({
      method: 'POST',
      path: `/activity/runs/${chance.is(0.8) ? happened.failedRun : chance.of(happened.runs)}/cancel`,
    }),
    isForManagers: true,
    isLoud: true,
  },
  {
    operation: 'listModelActivity',
    address: (around) =>
      around.chance.is(0.5) ? get('/activity/models') : inEnvironment('/activity/models', around),
    isLoud: true,
  },
  {
    operation: 'listQueryActivity',
    address: (around) => inEnvironment('/activity/queries', around, { limit: '1000' }),
    isLoud: true,
    namesFreely: managers,
  },
  { operation: 'getSummary', address: (around) => inEnvironment('/dq', around) },
  { operation: 'listRules', address: (around) => inEnvironment('/dq/rules', around) },
  { operation: 'listResults', address: (around) => inEnvironment('/dq/results', around) },
  {
    operation: 'decideGate',
    address: (around) => {
      const target = someModel(around);
      const environment = around.served.environmentName(around.environment);
      return {
        ...{ method: 'POST', path: '/dq/gate', environment: around.environment, target },
        body: { refs: [target.name], environment },
      };
    },
  },
  { operation: 'listProfiles', address: (around) => inEnvironment('/dq/profiles', around) },
  { operation: 'listAudits', address: (around) => inEnvironment('/dq/audits', around) },
  { operation: 'listQuarantine', address: (around) => inEnvironment('/dq/quarantine', around) },
  { operation: 'getFreshness', address: (around) => inEnvironment('/dq/freshness', around) },
  { operation: 'listIncidents', address: (around) => inEnvironment('/dq/incidents', around) },
];

const lastId = (text: string): number => Number([...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? 0);

/** Looked up as the administrator, who sees everything. */
export async function happenedIn(served: ServedWorld): Promise<Happened> {
  const items = async (path: string): Promise<readonly Readonly<Record<string, string>>[]> => {
    const got = await served.send('root', get(path));
    if (got.status !== 200) throw new Error(got.text);
    return JSON.parse(got.body).items;
  };
  const submit = async (sql: string): Promise<{ readonly id: string; readonly status: string }> => {
    const got = await served.send('root', {
      method: 'POST',
      path: '/query/statement',
      body: { sql, wait: 20 },
    });
    return JSON.parse(got.body);
  };
  const protectedModels = ['raw.a', 'mart.m', 'down.d0', 'vault.d'];
  const answered = await Promise.all(protectedModels.map((name) => submit(`SELECT * FROM ${name}`)));
  const failed = await Promise.all(
    ["raw.a WHERE region = 'north'", "raw.a WHERE region = 'south'", 'raw.d'].map((from) =>
      submit(`SELECT CAST(mail AS INTEGER) AS n FROM ${from}`),
    ),
  );
  if (answered.some(({ status }) => status !== 'SUCCESS') || failed.some(({ status }) => status !== 'FAILED'))
    throw new Error(JSON.stringify([answered, failed]));
  const runs = await items('/activity/runs?limit=1000');
  const failedRun = runs.find(({ status }) => status === 'failed')?.['id'];
  if (failedRun === undefined) throw new Error('no run has failed');
  // The last one that everybody is told of.
  const events = await items(
    `/activity?limit=1000&type=run.*&environment=${served.world.defaultEnvironment}`,
  );
  return {
    runs: runs.map(({ id }) => id ?? ''),
    failedRun,
    plans: (await items('/activity/plans?limit=1000')).map(({ id }) => id ?? ''),
    statements: answered.map(({ id }) => id),
    failedStatements: failed.map(({ id }) => id),
    lastEvent: Number(events.at(-1)?.['id'] ?? 0),
  };
}
