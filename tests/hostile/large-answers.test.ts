/** Large answers beside a neighbour who asks small questions: the server's memory stays bounded and the neighbour hears nothing of them. */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newToken, type ServedProject, servedProject } from '../e2e/served-project.ts';
import { IS_LONG } from '../support/long-form.ts';
import { expectWithin } from '../support/promised-times.ts';

const MEMORY_MB_MAX = 600;
const ROWS = 20_000;

let served: ServedProject;
let base = '';
const tokens = { ann: '', vic: '' };
type Who = keyof typeof tokens;

beforeAll(async () => {
  served = await servedProject(
    {
      'config.yaml': `name: large
gateways: {local: {connection: {type: duckdb, database: large.duckdb}}}
model_defaults: {dialect: duckdb, start: '2025-01-01'}
server: {limits: {requests_per_second: 100000, answer_bytes: 67108864}}
`,
      'models/orders.sql': `MODEL (name marts.orders, kind FULL, grain order_id);
SELECT range::INTEGER AS order_id, CASE range % 2 WHEN 0 THEN 'completed' ELSE 'returned' END AS status FROM range(${ROWS})
`,
      'models/semantics/orders.yml': `kind: semantic
name: orders
depends_on: marts.orders
dimensions: [order_id, status]
`,
    },
    async (project) => {
      for (const who of Object.keys(tokens) as Who[]) {
        await project.json('user', 'create', who, '--role', 'viewer');
        tokens[who] = await newToken(project, '--user', who);
      }
    },
  );
  base = served.products[0]?.base_url ?? '';
});
afterAll(() => served?.stop());

const post = (who: Who, path: string, body: unknown): Promise<Response> =>
  fetch(`${base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The kernel's high-water mark of the server's memory, which misses nothing. */
function peakMb(): number {
  const status = readFileSync(`/proc/${served.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** The mark begins anew. */
const resetPeak = (): void => writeFileSync(`/proc/${served.pid}/clear_refs`, '5');

/** A neighbour who looks whether the server lives and asks something small, until `work` has ended. */
async function beside<Value>(
  work: Promise<Value>,
): Promise<{ value: Value; livezMs: number[]; failures: string[] }> {
  let isOver = false;
  const livezMs: number[] = [];
  const failures: string[] = [];
  const look = async (): Promise<void> => {
    while (!isOver) {
      const began = performance.now();
      const answer = await fetch(`${served.url}/livez`).catch(String);
      livezMs.push(performance.now() - began);
      if (typeof answer === 'string' || answer.status !== 200) failures.push(`livez ${String(answer)}`);
      else await answer.text();
      await sleep(20);
    }
  };
  const ask = async (): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const answer = await post('vic', '/query/statement', { statement: `SELECT ${n} + 1 AS n`, wait: 50 })
        .then((each) => each.json() as Promise<{ status: string; result?: { rows: unknown } }>)
        .catch((error: unknown) => ({ status: String(error), result: undefined }));
      if (JSON.stringify(answer.result?.rows) !== `[[${n + 1}]]`) failures.push(JSON.stringify(answer));
      await sleep(20);
    }
  };
  const watching = [look(), ask()];
  const value = await work.finally(() => {
    isOver = true;
  });
  await Promise.all(watching);
  return { value, livezMs, failures };
}

const many = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => of(index)).join(' ');

test.each([1, 4, 6])(
  'ten root fields of 20,000 rows under 95 names, %i at once, are refused by the name of the limit',
  async (count) => {
    const fields = many(95, (at) => `a${at}: status`);
    const query = `{ ${many(10, (at) => `r${at}: orders(ungrouped: true, limit: ${ROWS}) { ${fields} }`)} }`;
    const asked = Array.from({ length: count }, async () => {
      const answer = await post('ann', '/query/semantic/graphql', { query });
      const body = await answer.text();
      return { status: answer.status, errors: body.slice(body.lastIndexOf('"errors":')) };
    });
    const { value: answers, failures } = await beside(Promise.all(asked));
    expect(failures).toEqual([]);
    for (const { status, errors } of answers) {
      expect(status).toBe(200);
      expect(errors).toContain('"The GraphQL request has more than 2000000 cells in its answer."');
      expect(errors.match(/"code":"graphql.too-large"/g)).toHaveLength(9);
    }
    expect(peakMb()).toBeLessThan(MEMORY_MB_MAX);
  },
);

test('a GraphQL answer whose rows vanish breaks off, and is never whole', async () => {
  const fields = many(9, (at) => `a${at}: order_id`);
  const query = `{ ${many(10, (at) => `r${at}: orders(ungrouped: true, limit: ${ROWS - at}) { ${fields} }`)} }`;
  const answer = await begun('ann', `/../../graphql?${new URLSearchParams({ query })}`);
  expect(answer.statusCode).toBe(200);
  rmSync(join(served.folder, '.plinth', 'results'), { recursive: true });
  const read = async (): Promise<void> => {
    for await (const _ of answer);
  };
  await expect(read()).rejects.toThrow('aborted');
});

/** A result that is kept, of some megabytes. */
async function largeResult(who: Who, rows: number): Promise<string> {
  const statement = `SELECT i AS id, 'customer ' || (i % 100003) AS customer, i % 7 = 0 AS is_new, (i / 100)::DECIMAL(12, 2) AS amount FROM range(${rows}) t(i)`;
  const answer = await post(who, '/query/statement', { statement, wait: 50 });
  const { id, status } = (await answer.json()) as { readonly id: string; readonly status: string };
  expect(status).toBe('SUCCESS');
  return `/query/statement/${id}/result?format=`;
}

/** Begun, and not read before it is asked to. */
const begun = (who: Who, path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${tokens[who]}` };
    get(`${base}${path}`, { headers, agent: false }, resolve).on('error', reject);
  });

test('a caller who reads nothing fills half of the room for answers, and no other is refused', async () => {
  const [own, other] = [await largeResult('ann', 300_000), await largeResult('vic', 300_000)];
  const held = await Promise.all(Array.from({ length: 32 }, () => begun('ann', `${own}csv`)));
  try {
    expect(held.map(({ statusCode }) => statusCode)).toEqual(held.map(() => 200));
    const refused = await begun('ann', `${own}ndjson`);
    const words: string[] = [];
    for await (const chunk of refused) words.push(String(chunk));
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(words.join('')).toContain('server.limits.answer_bytes');
    const read = await begun('vic', `${other}csv`);
    expect(read.statusCode).toBe(200);
    let bytes = 0;
    for await (const chunk of read) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(5_000_000);
  } finally {
    for (const answer of held) answer.destroy();
  }
  // Who hangs up gives back what they had.
  await expect
    .poll(async () => {
      const answer = await begun('ann', `${own}csv`);
      answer.destroy();
      return answer.statusCode;
    })
    .toBe(200);
});

test('long pages that no one takes are not held', async () => {
  const statement = `SELECT i AS id, repeat('x', 400) AS text FROM range(30000) t(i)`;
  const submitted = await post('ann', '/query/statement', { statement, wait: 50 });
  await submitted.body?.cancel();
  const path = new URL(submitted.headers.get('location') ?? '', base).href.slice(base.length);
  resetPeak();
  const before = peakMb();
  const held = await Promise.all(Array.from({ length: 30 }, () => begun('ann', `${path}/result`)));
  expect(new Set(held.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  // Eight megabytes each.
  expect(peakMb() - before).toBeLessThan(120);
  for (const answer of held) answer.destroy();
});

test('long pages that follow one another are the result', async () => {
  const rows = 150_000;
  const path = (await largeResult('ann', rows)).replace('?format=', '');
  const ids: number[] = [];
  let pages = 0;
  for (let next: string | null = `${path}?columns=is_new,id`; next !== null; pages++) {
    const answer = await text(await begun('ann', next));
    const page = JSON.parse(answer) as {
      readonly row_count: number;
      readonly rows: readonly (readonly [boolean, number])[];
      readonly next: string | null;
    };
    expect(page.row_count).toBe(rows);
    for (const [isNew, id] of page.rows) {
      if (isNew !== (id % 7 === 0)) throw new Error(`row ${id}`);
      ids.push(id);
    }
    next =
      page.next === null ? null : `${new URL(page.next, base).href.slice(base.length)}&columns=is_new,id`;
  }
  expect(pages).toBe(3);
  expect(ids).toEqual(Array.from({ length: rows }, (_, id) => id));
});

test('a long first page comes with its statement', async () => {
  const statement = `SELECT i AS id, repeat('x', 100) AS text FROM range(${ROWS}) t(i)`;
  const answer = await post('vic', '/query/statement', { statement, wait: 50 });
  const { status, result } = (await answer.json()) as {
    readonly status: string;
    readonly result: { readonly rows: readonly unknown[]; readonly next: unknown };
  };
  expect([status, result.rows.length, result.next]).toEqual(['SUCCESS', ROWS, null]);
});

test.runIf(IS_LONG)(
  'one row of 200 MB is refused, and the longest that is allowed costs little',
  async () => {
    resetPeak();
    const before = peakMb();
    const asked = async (statement: string): Promise<unknown> => {
      const answer = await post('ann', '/query/statement', { statement, wait: 50 });
      const { status, error, result } = (await answer.json()) as {
        readonly status: string;
        readonly error: { readonly code: string } | null;
        readonly result?: { readonly rows: readonly (readonly [string])[] };
      };
      return [status, error?.code, result?.rows.map(([cell]) => cell.length)];
    };
    const { value, failures } = await beside(
      (async () => [
        await asked("SELECT repeat('x', 200000000) AS text"),
        await asked('SELECT range(2500000) AS list'),
        await asked("SELECT repeat('x', 15000000) AS text FROM range(2)"),
      ])(),
    );
    expect(value).toEqual([
      ['FAILED', 'engine.row-too-large', undefined],
      ['FAILED', 'engine.row-too-large', undefined],
      ['SUCCESS', undefined, [15_000_000]],
    ]);
    expect(failures).toEqual([]);
    expect(peakMb() - before).toBeLessThan(250);
  },
);

test('lists of statements with long texts come in pages of some megabytes, whatever limit says', async () => {
  const count = 20;
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const statement = `SELECT '${'x'.repeat(1_000_000)}' AS t${n}`;
    const answer = await post('vic', '/query/statement', { statement, tags: ['long'] });
    ids.unshift(((await answer.json()) as { readonly id: string }).id);
  }
  for (const list of ['/query/statement', '/activity/queries']) {
    const listed: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const after = cursor === '' ? '' : `&cursor=${cursor}`;
      const answer = await text(await begun('vic', `${list}?tag=long&limit=1000${after}`));
      expect(answer.length).toBeLessThan(9_000_000);
      const page = JSON.parse(answer) as {
        readonly items: readonly { readonly id: string }[];
        readonly next_cursor: string | null;
      };
      listed.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(listed).toEqual(ids);
  }
  const ask = async (names: number): Promise<string> => {
    const query = `{ statements(tag: "long", first: 5) { edges { node { ${many(names, (at) => `a${at}: sql`)} } } } }`;
    return (await post('vic', '/query/semantic/graphql', { query })).text();
  };
  expect(((await ask(1)).match(/SELECT/g) ?? []).length).toBe(5);
  expect(await ask(2)).toContain('more than 8388608 bytes of statements in its answer');
});

test('who asks for the headers of a download makes none of it', async () => {
  const path = await largeResult('ann', 300_000);
  for (const format of ['csv', 'json']) {
    const headers = { authorization: `Bearer ${tokens.ann}` };
    const answer = await fetch(`${base}${path}${format}`, { method: 'HEAD', headers });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  }
});

const CHILD = join(import.meta.dirname, 'download-child.ts');

/** Line ends of what is downloaded all at once, by a process of its own: what it does must not be in what is measured here. */
async function downloaded(paths: readonly string[]): Promise<readonly number[]> {
  const asked = {
    urls: paths.map((path) => `${base}${path}`),
    headers: { authorization: `Bearer ${tokens.ann}` },
  };
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(asked)]);
  return JSON.parse(stdout) as readonly number[];
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.95)] ?? 0;

test('many downloads at once do not keep others waiting', async () => {
  const rows = 150_000;
  const path = await largeResult('ann', rows);
  const idle = await beside(sleep(1000));
  const csv = Array.from({ length: 15 }, () => `${path}csv`);
  const ndjson = csv.map(() => `${path}ndjson`);
  const { value, failures, livezMs } = await beside(downloaded([...csv, ...ndjson]));
  expect(value).toEqual([...csv.map(() => rows + 1), ...ndjson.map(() => rows)]);
  expect(failures).toEqual([]);
  // With rows made by the thread that answers, it was more than a second.
  expectWithin(p95(livezMs), Math.max(250, 10 * p95(idle.livezMs)));
});
