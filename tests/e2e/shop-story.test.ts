/** What `npm start` shows of the example: the week of NULLs as drift, one amber check, three orders held back and released, one incident. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHOP_STORY } from '../../scripts/shop-story.ts';
import { type Ended, envelope, runPlinth } from './run-plinth.ts';

const home = mkdtempSync(join(tmpdir(), 'plinth-story-'));
const told = new Map<string, Ended>();
const shop = (...words: readonly string[]): Promise<Ended> =>
  runPlinth(words, { cwd: join(home, 'shop'), variables: { PLINTH_NOW: '2026-01-05T12:00:00Z' } });

beforeAll(async () => {
  expect(await runPlinth(['init', 'shop'], { cwd: home })).toMatchObject({ code: 0 });
  for (const [index, words] of SHOP_STORY.entries()) {
    const ended = await shop(...words);
    expect(ended.code, `${words.join(' ')}\n${ended.stdout}${ended.stderr}`).toBe(0);
    told.set(`${index} ${words.slice(0, 2).join(' ')}`, ended);
  }
});
afterAll(() => rmSync(home, { recursive: true }));

const said = (step: string): string => {
  const ended = told.get(step);
  if (ended === undefined) throw new Error(`${step} is not among ${[...told.keys()].join('; ')}`);
  return ended.stdout + ended.stderr;
};
const everything = (): string => [...told.keys()].map(said).join('\n');
const runIds = async (): Promise<readonly string[]> =>
  (envelope(await shop('runs', '--json')).data as { runs: { run_id: string }[] }).runs
    .map(({ run_id }) => run_id)
    .reverse();

describe('the story of the shop', () => {
  test('begins with checks that pass, and with profiles that there is nothing to compare with', () => {
    const first = said('0 plan --yes');
    expect(first).toContain('Profiled  marts.orders');
    expect(first).toContain('first profile');
    expect(first).not.toMatch(/ (?:warn|fail) {2}/);
    expect(first).not.toContain('Incident');
  });

  test('the week of NULLs is drift, in the run, in plinth runs, and in the profile', async () => {
    const drift = /drift {2}device {2}against previous: NULLs 1\.\d points more/;
    expect(said('1 run --execution-time')).toMatch(drift);
    const [, second = ''] = await runIds();
    expect((await shop('runs', second)).stdout).toMatch(drift);
    const { run } = envelope(await shop('runs', second, '--json')).data as {
      run: { profiles: { model: string; drift: { column: string; against: string; null_rate: number }[] }[] };
    };
    const orders = run.profiles.find(({ model }) => model === 'marts.orders');
    expect(orders?.drift).toContainEqual(expect.objectContaining({ column: 'device', against: 'previous' }));
  });

  test('one check is amber, and stays it', async () => {
    expect(everything().match(/warn {2}\S+/g)).not.toBeNull();
    expect(new Set(everything().match(/ warn {2}\S+/g))).toEqual(new Set([' warn  orders_dq/device_known']));
    expect(said('7 status')).toContain('the check orders_dq/device_known on marts.orders warns');
  });

  test('three orders with bad channels are held back, shown and released', async () => {
    expect(said('2 run')).toContain('3 rows held back');
    const shown = said('3 quarantine show');
    for (const channel of ['onlien', 'ONLINE', 'pos']) expect(shown).toContain(channel);
    expect(said('4 quarantine release')).toContain('3 rows released');
    expect((await shop('quarantine')).stderr).toContain('No rows are held back in prod.');
    const counted = await shop(
      'query',
      '--format',
      'json',
      '--sql',
      'SELECT SUM(revenue_other) > 0, COUNT(*) FILTER (WHERE revenue_other > 0) FROM marts.daily_sales',
    );
    expect(JSON.parse(counted.stdout)).toMatchObject({ rows: [[true, 3]] });
  });

  test('one incident opens and closes', async () => {
    expect(everything().match(/Incident {2}\S+/g)).toEqual([
      'Incident  orders_published/every_order_published',
    ]);
    expect(everything().match(/Recovered {2}\S+/g)).toEqual([
      'Recovered  orders_published/every_order_published',
    ]);
    expect(said('2 run')).toContain('Incident');
    expect(said('4 quarantine release')).toContain('Recovered');
  });

  test('ends with caution, for the amber check alone', async () => {
    const { data } = envelope(await shop('status', '--json'));
    expect(data).toMatchObject({ health: 'caution', reasons: [{ check: 'orders_dq/device_known' }] });
    expect(data?.['reasons']).toHaveLength(1);
    expect(said('7 status')).toMatch(/drift: marts\.orders\.channel, .*new: ONLINE, onlien, pos/);
    expect(said('6 runs').match(/succeeded/g)).toHaveLength(5);
  });
});
