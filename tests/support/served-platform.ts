import { createPrincipal } from '../../src/operations/access/create-principal.ts';
import { createToken } from '../../src/operations/access/create-token.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import type { RunningServer } from '../../src/operations/serve/running-server.ts';
import { startServer } from '../../src/server/start-server.ts';
import { planProduct } from './served-product.ts';
import { type TemporaryProject, temporaryProject } from './temporary-project.ts';

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like
  readonly body: any;
  /** `409 access.decided`, or only the status. */
  readonly code: string;
}

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that wants credentials, in this process, and somebody who may everything. */
export interface ServedPlatform {
  readonly url: string;
  readonly folders: readonly string[];
  readonly root: string;
  /** What the first config.yaml says besides. */
  readonly gateways: string;
  /** Below `/platform-api/v1` unless the path begins with another door. */
  ask(as: string, method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Ends the server and starts another one of the same folders. */
  restart(): Promise<void>;
  /** Writes files into the first folder and plans it, as another process does. */
  plan(files: Readonly<Record<string, string>>, environment?: string): Promise<void>;
  /** Writes files into the first folder. */
  write(files: Readonly<Record<string, string>>): void;
  /** What the server wrote into its log, a JSON text for each line. */
  readonly logs: readonly string[];
  /** A user with a token, whose text it answers with. */
  person(tenant: string, name: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
  stop(): Promise<void>;
}

/** Serves one folder for each configuration; each has these files besides. */
export async function servedPlatform(
  configs: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<ServedPlatform> {
  const projects: readonly TemporaryProject[] = configs.map((config, index) =>
    temporaryProject({
      ...files,
      'config.yaml': `${config}\n${gatewaysOf(index)}`,
      'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
    }),
  );
  const folders = projects.map(({ folder }) => folder);
  const logs: string[] = [];
  const start = (): Promise<RunningServer> =>
    startServer({
      folders,
      variables: {},
      executionTime: Date.UTC(2026, 0, 2),
      host: '127.0.0.1',
      port: 0,
      auth: 'required',
      hasScheduler: false,
      isForced: false,
      log: (line) => logs.push(JSON.stringify(line)),
    });
  const root = await rootToken(folders);
  let server = await start();
  const ask: ServedPlatform['ask'] = async (as, method, path, { body, headers = {} } = {}) => {
    const isPlatform = !path.startsWith('/plinth/');
    const answer = await fetch(`${server.url}${isPlatform ? '/platform-api/v1' : ''}${path}`, {
      method,
      headers: {
        ...(isPlatform ? { apikey: as } : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const read = text === '' ? undefined : JSON.parse(text);
    const { status } = answer;
    return {
      status,
      headers: answer.headers,
      body: read,
      code: `${status} ${status >= 400 ? (read?.code ?? '') : ''}`.trim(),
    };
  };
  return {
    get url() {
      return server.url;
    },
    folders,
    root,
    gateways: gatewaysOf(0),
    ask,
    restart: async () => {
      await server.close();
      server = await start();
    },
    logs,
    write: (changed) => projects[0]?.write(changed),
    plan: async (changed, environment) => {
      projects[0]?.write(changed);
      const platform = await openPlatform({
        folders: folders.slice(0, 1),
        variables: {},
        executionTime: Date.UTC(2026, 0, 2),
      });
      const [product] = platform.products;
      if (product !== undefined) await planProduct(product, environment);
      await platform.close();
    },
    person: async (tenant, name, more = {}) => {
      const made = await ask(root, 'POST', `/tenants/${tenant}/users`, { body: { name, ...more } });
      if (made.status !== 201) throw new Error(made.code);
      const token = await ask(root, 'POST', `/tenants/${tenant}/tokens`, { body: { principal: name } });
      return token.body.token as string;
    },
    stop: async () => {
      await server.close();
      for (const project of projects) project.delete();
    },
  };
}

const gatewaysOf = (index: number): string =>
  `gateways: {local: {connection: {type: duckdb, database: p${index}.duckdb}}}\n`;

/** Plans the folders, too. */
async function rootToken(folders: readonly string[]): Promise<string> {
  const platform = await openPlatform({ folders, variables: {}, executionTime: Date.UTC(2026, 0, 2) });
  for (const product of platform.products) await planProduct(product);
  const [first] = platform.products;
  if (first === undefined) throw new Error('nothing is served');
  const { state, clock } = first.world;
  const context = { principals: state.principals, eventsOf: first.tenant, actor: 'test', now: clock.now() };
  const principal = await createPrincipal(context, {
    tenant: first.tenant,
    name: 'root',
    kind: 'user',
    isPlatformAdmin: true,
    groups: [],
  });
  const { text } = await createToken(context, { principal, name: 'root' });
  await platform.close();
  return text;
}
