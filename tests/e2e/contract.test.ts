/**
 * The interface document, line by line: each row of its tables and each of its rules is a test that has its words as name.
 * The server is the real program with authentication; the client is Python's, used as a reader of the document would.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plannedProject } from './planned-project.ts';
import { PYTHON_FOLDER, type PythonVenv, pythonVenv, type ReadyPython } from './python-venv.ts';
import { runPlinth } from './run-plinth.ts';
import { SEMANTIC_PROJECT } from './semantic-project.ts';
import { newToken, type ServedProject, servedProject } from './served-project.ts';

const APPS = '/platform-api/v1/tenants/acme/resources/apps';
const PRODUCT = '/plinth/tenants/acme/data-products/acme-asked/api/v1';
const TERMINAL = ['SUCCESS', 'SUCCEEDED', 'FAILED', 'CANCELLED'];

// Before the tests are named: one that needs Python says in its name that there is none.
const venv: PythonVenv = await pythonVenv('3.13').then((newest) =>
  newest.kind === 'ready' ? newest : pythonVenv('3.9'),
);

let server: ServedProject;
const tokens: Record<'admin' | 'consumer' | 'robot' | 'nobody' | 'foreigner', string> = {
  admin: '',
  consumer: '',
  robot: '',
  nobody: '',
  foreigner: '',
};
let jwt = '';

beforeAll(async () => {
  const config = `${SEMANTIC_PROJECT['config.yaml']}tenant: acme\n`;
  server = await servedProject({ ...SEMANTIC_PROJECT, 'config.yaml': config }, async (project) => {
    const done = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
      const { ok, data, diagnostics } = await project.json(...args);
      if (!ok) throw new Error(`${args.join(' ')}: ${JSON.stringify(diagnostics)}`);
      return data ?? {};
    };
    await done('tenant', 'create', 'globex');
    await done('user', 'create', 'ada', '--role', 'admin');
    await done('user', 'create', 'cleo');
    await done('user', 'create', 'robot', '--service-account');
    await done('user', 'create', 'nobody');
    await done('user', 'create', 'hank', '--tenant', 'globex', '--role', 'admin');
    await done('grant', 'cleo', 'consumer');
    await done('grant', 'robot', 'consumer');
    tokens.admin = await newToken(project, '--user', 'ada');
    tokens.consumer = await newToken(project, '--user', 'cleo');
    tokens.robot = await newToken(project, '--user', 'robot');
    tokens.nobody = await newToken(project, '--user', 'nobody');
    tokens.foreigner = await newToken(project, '--user', 'hank', '--tenant', 'globex');
    // A JWT is valid for an hour of real time.
    project.now(new Date().toISOString());
    jwt = String((await done('auth', 'jwt', 'ada'))['jwt']);
  });
});
afterAll(() => server?.stop());

const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

async function ask(path: string, init: RequestInit & { readonly json?: unknown } = {}): Promise<Answer> {
  const { json, headers, ...rest } = init;
  const answer = await fetch(`${server.url}${path}`, {
    redirect: 'manual',
    ...rest,
    ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(headers as object),
    },
  });
  const type = answer.headers.get('content-type') ?? '';
  const text = await answer.text();
  return {
    status: answer.status,
    type,
    headers: answer.headers,
    body: type.includes('json') ? JSON.parse(text) : text,
  };
}

/** What the server answers to bytes, for headers that fetch would not send twice. */
function askRaw(path: string, headers: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write([`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n')),
    );
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

const submit = (sql: string, token = tokens.consumer, more: object = {}): Promise<Answer> =>
  ask(`${PRODUCT}/query/statement`, { headers: bearer(token), json: { statement: sql, ...more } });

const statement = async (id: string, wait = 20, token = tokens.consumer): Promise<Answer> =>
  ask(`${PRODUCT}/query/statement/${id}?wait=${wait}`, { headers: bearer(token) });

interface Spoken {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program as its author would: the library is installed, the token is in the environment. */
function python(code: string, token = tokens.consumer): Promise<Spoken> {
  const { program } = venv as ReadyPython;
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['-c', code], {
      env: {
        ...process.env,
        PYTHONPATH: join(PYTHON_FOLDER, 'src'),
        PYTHONDONTWRITEBYTECODE: '1',
        FQDN: server.url,
        API_TOKEN: token,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

const MADE = `
import json, os, time
from plinth import DataProductClient, DataProductError
client = DataProductClient(fqdn=os.environ["FQDN"], dp_name="asked", access_token=os.environ["API_TOKEN"], tenant="acme")
`;

/** The last line that a program printed, as JSON. */
async function said(code: string, token?: string): Promise<unknown> {
  const { code: ended, stdout, stderr } = await python(`${MADE}${code}`, token);
  expect(ended, `${code}\n${stdout}${stderr}`).toBe(0);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

const withPython = describe.skipIf(venv.kind === 'missing');
if (venv.kind === 'missing') {
  console.error(`NOT TESTED: ${venv.reason}`);
  test.skip(`the client library is NOT tested: ${venv.reason}`, () => undefined);
}

describe('What the service does', () => {
  test('Platform API: base address {base_url} = https://<FQDN>/platform-api; every path of this interface is relative to it', async () => {
    const document = await ask('/platform-api/openapi.json');
    expect(document.body.servers).toEqual([{ url: '/platform-api/v1' }]);
    expect((await ask(APPS, { headers: { apikey: tokens.admin } })).status).toBe(200);
  });
  test('Data Product API: base address https://{fqdn}/<service>/tenants/{tenant}/data-products/{tenant}-{dp_name}/api/v1', async () => {
    expect(server.products).toEqual([{ tenant: 'acme', name: 'asked', base_url: `${server.url}${PRODUCT}` }]);
    const document = await ask(`${PRODUCT}/openapi.json`, { headers: bearer(tokens.consumer) });
    expect(document.body.servers).toEqual([{ url: PRODUCT }]);
  });
  test('A per-data-product HTTP API, generated from a project’s semantic definitions', async () => {
    const asked = await ask(`${PRODUCT}/query/semantic/rest`, {
      headers: bearer(tokens.admin),
      json: {
        query: {
          measures: ['lines.pieces'],
          dimensions: ['lines.product'],
          order: { 'lines.product': 'asc' },
        },
      },
    });
    expect(asked.body.result.rows).toEqual([
      ['ink', 2],
      ['pen', 6],
    ]);
  });
  test('From the semantics the service generates three APIs: REST, GraphQL and SQL', async () => {
    const headers = bearer(tokens.admin);
    const rest = await ask(`${PRODUCT}/query/semantic/rest`, {
      headers,
      json: { query: { measures: ['lines.pieces'] } },
    });
    const sql = await ask(`${PRODUCT}/query/semantic/sql`, {
      headers,
      json: { sql: 'SELECT MEASURE(pieces) FROM lines' },
    });
    const graphql = await ask(`${PRODUCT}/query/semantic/graphql`, {
      headers,
      json: { query: '{ lines { pieces } }' },
    });
    const answers = [
      rest.body.result?.rows[0][0],
      sql.body.result?.rows[0][0],
      graphql.body.data?.lines[0].pieces,
    ];
    expect(answers.map(String), JSON.stringify(graphql.body)).toEqual(['8', '8', '8']);
  });
  test('Command-line operations: plan previews the impact of a change before execution; run applies changes on a schedule', async () => {
    const project = plannedProject();
    try {
      const preview = await project.json('plan', '--explain');
      expect([preview.code, JSON.stringify(preview.data)]).toEqual([
        0,
        expect.stringContaining('marts.revenue'),
      ]);
      expect((await project.json('runs')).data?.['runs']).toEqual([]);
      expect((await project.plinth('plan', '--yes')).code).toBe(0);
      expect((await project.plinth('run')).code).toBe(0);
    } finally {
      project.remove();
    }
  });
  test('Project folders: audits/, dq/, tests/, models/semantics/, models/metrics/. Project configuration lives in a config.yaml file', async () => {
    const project = plannedProject({});
    try {
      const made = await runPlinth(['init', 'shop'], { cwd: project.folder });
      expect(made.code, made.stderr).toBe(0);
      const found = readdirSync(join(project.folder, 'shop'), { recursive: true, encoding: 'utf8' });
      for (const path of ['audits', 'dq', 'tests', 'models/semantics', 'models/metrics', 'config.yaml'])
        expect(found).toContain(path);
    } finally {
      project.remove();
    }
  });
  test('Control point: an audit that fails stops the flow; failed rows do not reach semantics or consumers', async () => {
    const project = plannedProject();
    try {
      expect((await project.plinth('plan', '--yes')).code).toBe(0);
      const before = await project.rows('SELECT COUNT(*), MIN(amount) FROM staging.orders');
      project.write(
        'data/orders.csv',
        readFileSync(join(project.folder, 'data/orders.csv'), 'utf8').replace(
          '2025-01-04,EU,10',
          '2025-01-04,EU,-10',
        ),
      );
      project.now('2025-01-05');
      expect((await project.plinth('run')).code).not.toBe(0);
      expect(await project.rows('SELECT COUNT(*), MIN(amount) FROM staging.orders')).toEqual(before);
    } finally {
      project.remove();
    }
  });
});

describe('Platform API', () => {
  test('apps of a tenant: /v1/tenants/{tenant}/resources/apps; {tenant} is a tenant name (string)', async () => {
    const { status, body } = await ask(APPS, { headers: { apikey: tokens.admin } });
    expect(status).toBe(200);
    expect(body.items).toMatchObject([{ name: 'asked', tenant: 'acme', type: 'data-product' }]);
    const other = await ask(APPS.replace('acme', 'nothing'), { headers: { apikey: tokens.admin } });
    expect(other.status).toBe(403);
  });
  test('GET /v1/tenants/{tenant}/resources/apps: optional Accept header, no body; the response is JSON', async () => {
    for (const accept of [undefined, 'application/json', '*/*']) {
      const answer = await ask(APPS, {
        headers: { apikey: tokens.admin, ...(accept === undefined ? {} : { accept }) },
      });
      expect(answer.status).toBe(200);
      expect(answer.type).toMatch(/^application\/json/);
    }
  });
  test('Every endpoint requires authentication when authorization is enabled on the gateway', async () => {
    const { paths } = (await ask('/platform-api/openapi.json')).body;
    let asked = 0;
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(
        operations as Record<string, { security?: unknown[] }>,
      )) {
        if (operation.security?.length === 0) continue;
        asked++;
        const answer = await ask(`/platform-api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`, {
          method: method.toUpperCase(),
        });
        expect([method, path, answer.status]).toEqual([method, path, 401]);
        expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      }
    expect(asked).toBeGreaterThan(4);
  });
  describe('Exactly one of these credentials is supplied', () => {
    test('Authorization: Bearer <access_token> (a JWT)', async () => {
      expect((await ask(APPS, { headers: bearer(jwt) })).status).toBe(200);
      expect((await ask(APPS, { headers: bearer(`${jwt.slice(0, -4)}AAAA`) })).status).toBe(401);
      expect((await ask(APPS, { headers: { authorization: `Basic ${jwt}` } })).status).toBe(401);
    });
    test('apikey: <API_KEY> (an API key string)', async () => {
      expect((await ask(APPS, { headers: { apikey: tokens.consumer } })).status).toBe(200);
      expect((await ask(APPS, { headers: { apikey: 'plt_unknown' } })).status).toBe(401);
    });
    test('neither of them is refused with 401', async () => expect((await ask(APPS)).status).toBe(401));
    test('which credential wins when both headers are sent: neither, 400', async () => {
      const both = await ask(APPS, { headers: { ...bearer(jwt), apikey: tokens.admin } });
      expect([both.status, both.body.code]).toEqual([400, 'auth.ambiguous-credentials']);
      const twice = await askRaw(APPS, [`Authorization: Bearer ${jwt}`, `Authorization: Bearer ${jwt}`]);
      expect(twice).toMatch(/^HTTP\/1\.1 400 /);
      const keys = await askRaw(APPS, [`apikey: ${tokens.admin}`, `apikey: ${tokens.admin}`]);
      expect(keys).toMatch(/^HTTP\/1\.1 400 /);
    });
  });
  describe('Optional headers', () => {
    const echoed = async (headers: Readonly<Record<string, string>>): Promise<string | null> =>
      (await ask(APPS, { headers: { apikey: tokens.admin, ...headers } })).headers.get(
        'platform-correlation-id',
      );

    test('Accept: not required; recommended value application/json', async () => {
      const answer = await ask(APPS, { headers: { apikey: tokens.admin, accept: 'application/json' } });
      expect(answer.type).toMatch(/^application\/json/);
    });
    test('Platform-Correlation-Id: not required; correlation id for request tracing', async () => {
      expect(await echoed({})).toMatch(/^[\w-]{8,}$/);
      expect(await echoed({ 'platform-correlation-id': 'trace-1' })).toBe('trace-1');
      expect(await echoed({ 'platform-correlation-id': 'trace-2', 'x-request-id': 'other' })).toBe('trace-2');
    });
    test('X-Request-Id: used as the correlation id when Platform-Correlation-Id is absent', async () =>
      expect(await echoed({ 'x-request-id': 'request-7' })).toBe('request-7'));
    test('the correlation id is in what the server writes about the request, and in its errors', async () => {
      await echoed({ 'platform-correlation-id': 'trace-logged' });
      await expect.poll(() => server.output().stderr, { timeout: 5000 }).toContain('trace-logged');
      const refused = await ask(APPS, { headers: { 'platform-correlation-id': 'trace-refused' } });
      expect(refused.body.correlation_id).toBe('trace-refused');
    });
  });
});

describe('Data Product API', () => {
  test('data product: {fqdn}, {tenant} and {dp_name}; the path segment for the data product is {tenant}-{dp_name}', async () => {
    const answer = await ask(`${PRODUCT}/query/statement`, { headers: bearer(tokens.consumer) });
    expect(answer.status).toBe(200);
    for (const wrong of ['asked', 'acme-other', 'acme', 'asked-acme']) {
      const path = PRODUCT.replace('acme-asked', wrong);
      const refused = await ask(`${path}/query/statement`, { headers: bearer(tokens.consumer) });
      expect([wrong, refused.status]).toEqual([wrong, 403]);
    }
  });
  test('Query statement: id is a string, the identifier of the statement', async () => {
    const { body } = await submit('SELECT 1 AS a');
    expect(body.id).toEqual(expect.any(String));
    expect((await statement(body.id)).body.id).toBe(body.id);
  });
  test('Query statement: status is a string', async () => {
    const { body } = await submit('SELECT 2 AS a');
    expect(body.status).toEqual(expect.any(String));
  });
  test('Statement result: cols is a list of column descriptors; rows is a list, iterable one row at a time', async () => {
    const { body } = await submit("SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y' ORDER BY 1");
    await statement(body.id);
    const result = await ask(`${PRODUCT}/query/statement/${body.id}/result`, {
      headers: bearer(tokens.consumer),
    });
    expect(result.body.cols).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(result.body.rows).toEqual([
      [1, 'x'],
      [2, 'y'],
    ]);
  });
  test('A plan is retrievable by identifier from the Activity group', async () => {
    const { data } = await server.json('plans');
    const [plan] = (data?.['plans'] ?? []) as readonly { readonly plan_id: string }[];
    expect(plan?.plan_id).toEqual(expect.any(String));
    const answer = await ask(`${PRODUCT}/activity/plans/${plan?.plan_id}`, {
      headers: bearer(tokens.consumer),
    });
    expect([answer.status, answer.body.id]).toEqual([200, plan?.plan_id]);
    const unknown = await ask(`${PRODUCT}/activity/plans/nothing`, { headers: bearer(tokens.consumer) });
    expect(unknown.status).toBe(404);
  });
});

describe('States and transitions', () => {
  test('SUCCESS is reached by a statement that has a result', async () => {
    const { body } = await submit('SELECT 3 AS a');
    expect((await statement(body.id)).body.status.toUpperCase()).toBe('SUCCESS');
  });
  test('a result comes in the type that Accept likes best, unless format says otherwise', async () => {
    const { body } = await submit("SELECT 3 AS a, 'x' AS b", tokens.consumer, { wait: 20 });
    const asked = (accept: string, query = ''): Promise<Answer> =>
      ask(`${PRODUCT}/query/statement/${body.id}/result${query}`, {
        headers: { ...bearer(tokens.consumer), accept },
      });
    expect(await asked('text/csv')).toMatchObject({ status: 200, body: 'a,b\r\n3,x\r\n' });
    expect((await asked('text/csv;q=0.5, */*')).body.rows).toEqual([[3, 'x']]);
    expect((await asked('text/csv, application/json;q=0.1', '?format=json')).body.rows).toEqual([[3, 'x']]);
    expect((await asked('image/png')).status).toBe(406);
  });
  test('FAILED is reached by a statement that the engine refuses', async () => {
    const { body } = await submit("SELECT CAST('x' || a AS INTEGER) FROM (SELECT 1 AS a)");
    const ended = (await statement(body.id)).body;
    expect([ended.status, typeof ended.error.message]).toEqual(['FAILED', 'string']);
  });
  test('CANCELLED is reached by a statement that is cancelled', async () => {
    const { body } = await submit('SELECT COUNT(*) FROM range(1000000000000)');
    const cancelled = await ask(`${PRODUCT}/query/statement/${body.id}/cancel`, {
      method: 'POST',
      headers: bearer(tokens.consumer),
    });
    expect(cancelled.status).toBe(200);
    expect((await statement(body.id)).body.status).toBe('CANCELLED');
  });
  test('A status that is not terminal is never one of the terminal ones, and a terminal one stays', async () => {
    const { body } = await submit('SELECT COUNT(*) FROM range(3000000000) WHERE range % 7 = 3', tokens.robot);
    expect(TERMINAL).not.toContain(body.status.toUpperCase());
    const path = `${PRODUCT}/query/statement/${body.id}`;
    await ask(`${path}/cancel`, { method: 'POST', headers: bearer(tokens.robot) });
    const ended = (await statement(body.id, 20, tokens.robot)).body.status;
    expect(TERMINAL).toContain(ended);
    await ask(`${path}/cancel`, { method: 'POST', headers: bearer(tokens.robot) });
    expect((await statement(body.id, 0, tokens.robot)).body.status).toBe(ended);
  });
  test('Rule: a statement result is fetched after the statement has reached a terminal status', async () => {
    const { body } = await submit('SELECT COUNT(*) FROM range(1000000000000) AS r(n)');
    const early = await ask(`${PRODUCT}/query/statement/${body.id}/result`, {
      headers: bearer(tokens.consumer),
    });
    expect(early.status).toBe(202);
    await ask(`${PRODUCT}/query/statement/${body.id}/cancel`, {
      method: 'POST',
      headers: bearer(tokens.consumer),
    });
  });
});

describe('Authentication of the Data Product API', () => {
  test('Every request carries the header Authorization: Bearer <API_TOKEN>', async () => {
    const { paths } = (await ask(`${PRODUCT}/openapi.json`, { headers: bearer(tokens.consumer) })).body;
    let asked = 0;
    for (const [path, operations] of Object.entries(paths as Record<string, object>))
      for (const method of Object.keys(operations)) {
        asked++;
        const answer = await ask(`${PRODUCT}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
          method: method.toUpperCase(),
        });
        expect([method, path, answer.status]).toEqual([method, path, 401]);
      }
    expect(asked).toBeGreaterThanOrEqual(10);
    expect((await ask(`${PRODUCT}/query/statement`, { headers: { apikey: tokens.admin } })).status).toBe(401);
  });
  test('The token is an API token issued by the platform for a user or service account', async () => {
    for (const token of [tokens.consumer, tokens.robot]) {
      expect(token).toMatch(/^plt_\w{20,}$/);
      expect((await submit('SELECT 4 AS a', token)).status).toBeLessThan(300);
    }
  });
  test('There is no redirect-based OAuth 2.0 flow', async () => {
    const answer = await ask(`${PRODUCT}/query/statement`);
    expect([answer.status, answer.headers.get('location')]).toEqual([401, null]);
  });
  test('A token inherits the permissions of the user or service account it belongs to', async () => {
    expect((await submit('SELECT 5 AS a', tokens.nobody)).status).toBe(403);
    expect((await server.plinth('grant', 'nobody', 'consumer')).code).toBe(0);
    await expect
      .poll(async () => (await submit('SELECT 5 AS a', tokens.nobody)).status, { timeout: 10_000 })
      .toBeLessThan(300);
  });
  test('Access to a data product follows tenant and resource configuration', async () => {
    expect((await submit('SELECT 6 AS a', tokens.foreigner)).status).toBe(403);
    expect((await ask(APPS, { headers: { apikey: tokens.foreigner } })).status).toBe(403);
  });
  test('When the token lacks permission for a resource, the response status is 403 (Forbidden)', async () => {
    const answer = await submit('SELECT 7 AS a', tokens.foreigner);
    expect([answer.status, answer.body.title, answer.type]).toEqual([
      403,
      'Forbidden',
      expect.stringMatching(/^application\/problem\+json/),
    ]);
  });
  test('Tokens are kept in environment variables or a secrets manager, not in source files: no file of the project holds one', () => {
    const files = readdirSync(server.folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
    for (const file of files.filter((each) => each.isFile())) {
      const bytes = readFileSync(join(file.parentPath, file.name));
      for (const token of Object.values(tokens)) expect(bytes.includes(token), file.name).toBe(false);
    }
    expect(server.output().stdout + server.output().stderr).not.toContain('plt_');
  });
});

describe('Versioning', () => {
  test('Both interfaces carry the version v1 as a path segment', async () => {
    const platform = (await ask('/platform-api/openapi.json')).body.servers[0].url;
    expect(platform).toMatch(/\/v1$/);
    expect(server.products[0]?.base_url).toMatch(/\/api\/v1$/);
    expect((await ask(APPS.replace('/v1/', '/v2/'), { headers: { apikey: tokens.admin } })).status).toBe(404);
  });
});

withPython('Client library', () => {
  test('Python 3.9 or later is required', () =>
    expect(readFileSync(join(PYTHON_FOLDER, 'pyproject.toml'), 'utf8')).toContain(
      'requires-python = ">=3.9"',
    ));

  test.each(['metadata', 'query', 'activity', 'dq', 'perspectives', 'notifications', 'followers'])(
    'Each group is reachable on the client as an attribute: %s',
    async (group) => expect(await said(`print(json.dumps(client.${group} is not None))`)).toBe(true),
  );

  test('Parameters: fqdn, dp_name, access_token and tenant required; timeout 30.0 and verify_ssl True by default', async () => {
    const code = `import inspect
print(json.dumps([[p.name, None if p.default is p.empty else p.default] for p in inspect.signature(DataProductClient).parameters.values()]))`;
    expect(await said(code)).toEqual([
      ['fqdn', null],
      ['dp_name', null],
      ['access_token', null],
      ['tenant', null],
      ['timeout', 30],
      ['verify_ssl', true],
    ]);
  });
  test.each(['fqdn', 'dp_name', 'access_token', 'tenant'])('Parameter %s: string, required', async (name) => {
    const code = `
given = dict(fqdn="h", dp_name="d", access_token="t", tenant="x")
caught = []
for change in (lambda: given.pop("${name}"), lambda: given.update({"${name}": None}), lambda: given.update({"${name}": ""}), lambda: given.update({"${name}": 7})):
    change()
    try: DataProductClient(**given)
    except DataProductError as error: caught.append([error.status_code, "${name}" in error.detail])
print(json.dumps(caught))`;
    expect(await said(code)).toEqual(Array(4).fill([400, true]));
  });
  test('Parameter timeout: float, not required, default 30.0: request timeout in seconds; applies to every client request', async () => {
    const code = `
import socket
server = socket.create_server(("127.0.0.1", 0))
slow = DataProductClient(fqdn="http://127.0.0.1:%d" % server.getsockname()[1], dp_name="d", access_token="t", tenant="x", timeout=0.4)
begun = time.monotonic()
caught = []
for operation in (slow.query.submit_statement, slow.query.get_statement, slow.query.get_statement_result, slow.activity.get_plan):
    try: operation("x")
    except DataProductError as error: caught.append(error.status_code)
print(json.dumps([caught, 1.5 < time.monotonic() - begun < 10]))`;
    expect(await said(code)).toEqual([[0, 0, 0, 0], true]);
  });
  test('Rule 1: the client builds {data_product_base_url} from fqdn, tenant and dp_name', async () => {
    const code = `print(json.dumps(DataProductClient(fqdn="data.example.com", dp_name="shop", access_token="t", tenant="acme").base_url))`;
    expect(await said(code)).toBe(
      'https://data.example.com/plinth/tenants/acme/data-products/acme-shop/api/v1',
    );
  });
  test('Rule 2: the client attaches the token to every request automatically', async () => {
    const code = `
statement = client.query.submit_statement("SELECT 8 AS a")
for _ in range(3): client.query.get_statement(statement.id)
print(json.dumps(statement.id))`;
    expect(await said(code)).toEqual(expect.any(String));
  });
  test('Rule 3: the client raises DataProductError on API failures, authentication failures, invalid requests, missing parameters and unexpected API responses; it carries status_code and detail', async () => {
    const code = `
def fails(operation, *args):
    try: operation(*args)
    except DataProductError as error: return [error.status_code, isinstance(error.detail, str) and error.detail != ""]
    return "no error"
def other(**changes):
    return DataProductClient(**{**dict(fqdn=os.environ["FQDN"], dp_name="asked", access_token=os.environ["API_TOKEN"], tenant="acme"), **changes})
elsewhere = other()
elsewhere.base_url = elsewhere._transport.settings.base_url = os.environ["FQDN"] + "/livez?"
print(json.dumps([
    fails(client.query.get_statement, "s_unknown"),
    fails(other(access_token="plt_unknown").query.get_statement, "x"),
    fails(client.query.submit_statement, "SELECT 1; SELECT 2"),
    fails(client.query.submit_statement),
    fails(elsewhere.query.get_statement, "x"),
]))`;
    expect(await said(code)).toEqual([
      [404, true],
      [401, true],
      [422, true],
      [400, true],
      [200, true],
    ]);
  });
  test('submit_statement takes SQL text (string) and gives a Statement (id, status)', async () => {
    const code = `s = client.query.submit_statement("SELECT 9 AS a")
print(json.dumps([isinstance(s.id, str), isinstance(s.status, str), s["id"] == s.id, s["status"] == s.status]))`;
    expect(await said(code)).toEqual([true, true, true, true]);
  });
  test('get_statement takes a statement id (string) and gives a Statement (id, status)', async () => {
    const code = `s = client.query.submit_statement("SELECT 10 AS a")
t = client.query.get_statement(s.id)
print(json.dumps([t.id == s.id, isinstance(t.status, str)]))`;
    expect(await said(code)).toEqual([true, true]);
  });
  test('get_statement_result takes a statement id (string) and gives a Result (cols, rows)', async () => {
    const code = `s = client.query.submit_statement("SELECT 11 AS a", wait=20)
r = client.query.get_statement_result(s.id)
print(json.dumps([[c.name for c in r.cols], r.rows, r["rows"]]))`;
    expect(await said(code)).toEqual([['a'], [[11]], [[11]]]);
  });
  test('get_plan takes a plan id (string) and gives a Plan record', async () => {
    const { data } = await server.json('plans');
    const [plan] = (data?.['plans'] ?? []) as readonly { readonly plan_id: string }[];
    const code = `print(json.dumps(client.activity.get_plan("${plan?.plan_id}").id))`;
    expect(await said(code)).toBe(plan?.plan_id);
  });
  test('Token lacks permission for the requested resource (Data Product API): HTTP 403 Forbidden, as DataProductError', async () => {
    const code = `
try: client.query.submit_statement("SELECT 1")
except DataProductError as error: print(json.dumps([error.status_code, os.environ["API_TOKEN"] in str(error) + repr(error)]))`;
    expect(await said(code, tokens.foreigner)).toEqual([403, false]);
  });

  test('Query flow: submit a SQL statement, poll the statement until its status is terminal (the example waits 2 seconds between polls), then fetch the result', async () => {
    const program = `
import os
import time

from plinth import DataProductClient, DataProductError

client = DataProductClient(
    fqdn=os.environ["FQDN"],
    dp_name="asked",
    access_token=os.environ["API_TOKEN"],
    tenant="acme",
)

TERMINAL = {"SUCCESS", "SUCCEEDED", "FAILED", "CANCELLED"}

try:
    statement = client.query.submit_statement(
        "SELECT product, SUM(pieces) AS pieces FROM marts.lines GROUP BY product ORDER BY product"
    )
    while statement.status.upper() not in TERMINAL:
        time.sleep(2)
        statement = client.query.get_statement(statement.id)
    result = client.query.get_statement_result(statement.id)
    print(",".join(col.name for col in result.cols))
    for row in result.rows:
        print(",".join(str(cell) for cell in row))
except DataProductError as error:
    print(f"{error.status_code}: {error.detail}")
    raise SystemExit(1)
`;
    const { code, stdout, stderr } = await python(program, tokens.robot);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toBe('product,pieces\nink,2\npen,6\n');
  });
});
