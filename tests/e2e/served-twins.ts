import { type PlannedProject, plannedProject } from './planned-project.ts';
import { SEMANTIC_PROJECT } from './semantic-project.ts';
import { newToken, type ServedProject, servedProject } from './served-project.ts';

/** What a request answered. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** Products of the same name and contents of two tenants, acme and globex, in one server with authentication. */
export interface ServedTwins {
  readonly served: ServedProject;
  readonly other: PlannedProject;
  /** A token of the platform's administrator. */
  readonly root: string;
  readonly acme: string;
  readonly globex: string;
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
  /** Makes somebody through the Platform API and gives a token of theirs. */
  person(tenant: string, name: string, about?: Readonly<Record<string, unknown>>): Promise<string>;
  stop(): Promise<void>;
}

export interface AskOptions {
  readonly bearer?: string;
  readonly apikey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The configuration of a twin. */
export const configOf = (tenant: string): string =>
  `${(SEMANTIC_PROJECT['config.yaml'] as string).replace('name: asked', `name: sales\ntenant: ${tenant}`)}access:
  - {principal: carla, role: consumer}
  - {principal: analysts, role: consumer}
  - {principal: group:makers, role: editor}
server: {limits: {requests_per_second: 100000, failed_credentials_per_minute: 1000000}}
`;

const twinFiles = (tenant: string) => ({ ...SEMANTIC_PROJECT, 'config.yaml': configOf(tenant) });

export async function servedTwins(
  args: readonly string[] = [],
  filesOf: (tenant: string) => Readonly<Record<string, string>> = twinFiles,
): Promise<ServedTwins> {
  const other = plannedProject(filesOf('globex'), '2025-06-15');
  const planned = await other.plinth('plan', '--yes');
  if (planned.code !== 0) throw new Error(`${planned.stdout}${planned.stderr}`);
  let root = '';
  const served = await servedProject(
    filesOf('acme'),
    async (project) => {
      await project.plinth('user', 'create', 'root', '--role', 'platform-admin');
      root = await newToken(project, '--user', 'root');
    },
    ['--auth', 'required', ...args, '.', other.folder],
  );
  const ask = async (method: string, path: string, options: AskOptions = {}): Promise<Answer> => {
    const { bearer, apikey, headers = {}, body } = options;
    const answer = await fetch(path.startsWith('http') ? path : `${served.url}${path}`, {
      method,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(apikey === undefined ? {} : { apikey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const type = answer.headers.get('content-type') ?? '';
    return {
      status: answer.status,
      type,
      text,
      headers: answer.headers,
      body: type.includes('json') && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  const must = async (method: string, path: string, body: unknown): Promise<Answer> => {
    const answer = await ask(method, path, { apikey: root, body });
    if (answer.status !== 201) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const baseOf = (tenant: string): string =>
    served.products.find((product) => product.tenant === tenant)?.base_url ?? '';
  return {
    served,
    other,
    root,
    acme: baseOf('acme'),
    globex: baseOf('globex'),
    ask,
    async person(tenant, name, about = {}) {
      await must('POST', `/platform-api/v1/tenants/${tenant}/users`, { name, ...about });
      const made = await must('POST', `/platform-api/v1/tenants/${tenant}/tokens`, { principal: name });
      return made.body.token as string;
    },
    async stop() {
      await served.stop();
      other.remove();
    },
  };
}

/** One operation of an OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly hasBody: boolean;
}

interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
}

export function operationsOf(document: OpenapiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation['operationId'] as string,
      method: method.toUpperCase(),
      path,
      isPublic: (operation['security'] as readonly unknown[]).length === 0,
      parameters: (operation['parameters'] ?? []) as Operation['parameters'],
      hasBody: operation['requestBody'] !== undefined,
    })),
  );
}
