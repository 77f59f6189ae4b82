/** Results fill neither the disk nor the share of others: the oldest go, and a disk that is full is told as such. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

const EACH = 500_000;
const ALL = 1_000_000;
const CONFIG = `name: kept\nserver: {limits: {results_bytes: ${ALL}, results_bytes_each: ${EACH}}}`;
const BASE = '/plinth/tenants/default/data-products/default-kept/api/v1';

let served: ServedPlatform;
let people = 0;
beforeAll(async () => {
  served = await servedPlatform([CONFIG]);
});
afterAll(() => served.stop());

const person = (): Promise<string> => served.person('default', `p${++people}`, { role: 'viewer' });
let asked = 0;
/** A result of about as many bytes, unlike any other. */
const ask = async (token: string, bytes: number): Promise<Answer> =>
  served.ask(token, 'POST', `${BASE}/query/statement`, {
    body: {
      sql: `SELECT repeat('x', 990) || lpad(i::VARCHAR, 5, '0') AS a, ${++asked} AS n FROM range(${Math.round(bytes / 1000)}) AS t(i)`,
      wait: 40,
    },
  });
const asking = async (token: string, bytes: number): Promise<string> => {
  const { body } = await ask(token, bytes);
  expect(body.error).toBeNull();
  return body.id;
};
const resultOf = (token: string, id: string): Promise<Answer> =>
  served.ask(token, 'GET', `${BASE}/query/statement/${id}/result?limit=1`);
const shownOf = async (token: string, ids: readonly string[]): Promise<readonly string[]> => {
  const answers = await Promise.all(ids.map((id) => resultOf(token, id)));
  return answers.map(({ code }) => code);
};
const folder = (): string => join(served.folders[0] as string, '.plinth', 'results');
const GONE = '410 statement.expired';

describe('results', () => {
  test('of one caller that have more bytes than results_bytes_each: the oldest of theirs go, and no others', async () => {
    const [ann, bob] = [await person(), await person()];
    const before = await asking(bob, 200_000);
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push(await asking(ann, 150_000));
    expect(await shownOf(ann, ids)).toEqual([GONE, '200', '200', '200']);
    expect(await shownOf(bob, [before])).toEqual(['200']);
    const { body } = await served.ask(ann, 'GET', `${BASE}/query/statement/${ids[0]}`);
    expect(body).toMatchObject({ status: 'SUCCESS', row_count: null });
    expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(Date.now());
  });
  test('of a product that have more bytes than results_bytes: the oldest go, whoever asked them', async () => {
    const tokens = [await person(), await person(), await person()];
    const ids: string[] = [];
    for (const token of tokens) ids.push(await asking(token, 400_000));
    const codes = await Promise.all(tokens.map((token, at) => shownOf(token, [ids[at] as string])));
    expect(codes.flat()).toEqual([GONE, '200', '200']);
    expect(readdirSync(folder()).length).toBe(2);
  });
  test('that are small count too', async () => {
    const ann = await person();
    const first = await asking(ann, 5_000);
    for (let n = 0; n < 110; n++) await asking(ann, 5_000);
    expect(await shownOf(ann, [first])).toEqual([GONE]);
  });
  test('that alone have more bytes than a share fail, and take nothing from others', async () => {
    const ann = await person();
    const id = await asking(ann, 100_000);
    const { body } = await ask(ann, 700_000);
    expect(body).toMatchObject({ status: 'FAILED', error: { code: 'statement.result-too-large' } });
    expect(await shownOf(ann, [id])).toEqual(['200']);
  });
  test('that somebody reads are read to their end, also when they are dropped meanwhile', async () => {
    const ann = await person();
    const id = await asking(ann, 450_000);
    const answer = await fetch(`${served.url}${BASE}/query/statement/${id}/result?format=csv`, {
      headers: { authorization: `Bearer ${ann}` },
    });
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    await asking(ann, 450_000);
    expect(await shownOf(ann, [id])).toEqual([GONE]);
    let bytes = first?.value?.length ?? 0;
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      bytes += next.value.length;
    expect(bytes).toBeGreaterThan(440_000);
  });
  test('are all there when many are asked at once that fit', async () => {
    const tokens = [await person(), await person(), await person(), await person()];
    const answers = await Promise.all(tokens.map((token) => ask(token, 200_000)));
    expect(answers.map(({ body }) => body.status)).toEqual(tokens.map(() => 'SUCCESS'));
    const codes = await Promise.all(tokens.map((token, at) => shownOf(token, [answers[at]?.body.id])));
    expect(codes.flat()).toEqual(tokens.map(() => '200'));
  });
});

describe('a disk that is full', () => {
  const mounts: string[] = [];
  afterAll(() => {
    for (const place of mounts) execFileSync('umount', [place]);
  });
  /** False where the system does not let us. */
  const mount = (place: string, size: string): boolean => {
    mkdirSync(place, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place], { stdio: 'pipe' });
    } catch (error) {
      console.warn(`NOT TESTED: a full disk, because mount is refused: ${(error as Error).message}`);
      return false;
    }
    mounts.push(place);
    return true;
  };
  const FULL = { code: 'statement.out-of-resources', message: expect.stringContaining('disk') };

  test('fails what is written to it, is not called a bug, and no text is refused for it', async (context) => {
    if (!mount(folder(), '128k')) context.skip('no file system of 128 kB can be mounted here');
    const ann = await person();
    const sql = `SELECT repeat('x', 990) AS a, i FROM range(300) AS t(i)`;
    const post = (): Promise<Answer> =>
      served.ask(ann, 'POST', `${BASE}/query/statement`, { body: { sql, wait: 40 } });
    expect((await post()).body).toMatchObject({ status: 'FAILED', error: FULL });
    execFileSync('mount', ['-o', 'remount,size=8m', folder()]);
    expect((await post()).body).toMatchObject({ status: 'SUCCESS' });
  });

  test('is told to who wants a result as a file', async (context) => {
    const exchange = join(served.folders[0] as string, '.plinth', 'exchange', 'parquet');
    if (!mount(exchange, '128k')) context.skip('no file system of 128 kB can be mounted here');
    const ann = await person();
    const id = await asking(ann, 300_000);
    const file = await served.ask(ann, 'GET', `${BASE}/query/statement/${id}/result?format=parquet`);
    expect(file.body).toMatchObject({ code: 'statement.out-of-resources' });
    expect(readdirSync(exchange)).toEqual([]);
  });
});
