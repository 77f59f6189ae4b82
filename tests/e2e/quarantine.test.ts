/** plinth quarantine, through the real program: list, show, release and discard, for people and for programs. */
import { afterEach, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';

let project: PlannedProject | undefined;
afterEach(() => project?.remove());

const audit = (channels: string): string =>
  `AUDIT (name valid_channel, on_failure quarantine);\nSELECT * FROM @this_model WHERE channel NOT IN (${channels});\n`;
const FILES = {
  'config.yaml':
    'name: held\ngateways: {local: {connection: {type: duckdb, database: held.duckdb}}}\nmodel_defaults: {dialect: duckdb}\n',
  'audits/valid_channel.sql': audit("'web', 'shop'"),
  'models/orders.sql':
    "MODEL (name s.orders, kind FULL, audits (valid_channel));\nSELECT * FROM (VALUES (1, 'web'), (2, 'shop'), (3, 'pos'), (4, 'fax'), (5, NULL)) AS v(id, channel)\n",
  'models/totals.sql': 'MODEL (name s.totals, kind FULL);\nSELECT count(*) AS orders FROM s.orders\n',
};

test('rows are listed with their reasons, released once the model accepts them, or with a reason, or discarded', async () => {
  project = plannedProject(FILES);
  const { plinth, json, rows } = project;
  expect((await plinth('plan', '--yes')).code).toBe(0);
  const held = async () => (await json('quarantine', 'list')).data as { rows: number; held: object[] };
  expect(await held()).toMatchObject({
    rows: 2,
    held: [{ model: 's.orders', rows: 2, audits: ['valid_channel'], interval: expect.any(Array) }],
  });
  // Until the rows are gone, also after a run that found nothing new to hold back.
  const heldReason = async () =>
    ((await json('status')).data as { reasons: { kind: string; model: string }[] }).reasons.filter(
      ({ kind }) => kind === 'quarantine',
    );
  expect(await heldReason()).toMatchObject([{ model: 's.orders' }]);
  expect((await plinth('audit')).code).toBe(0);
  expect(await heldReason()).toMatchObject([{ model: 's.orders' }]);
  const shown = await json('quarantine', 'show', 's.orders', '--audit', 'valid_channel', '--limit', '1');
  expect(shown.data).toMatchObject({ total: 2, cols: [{ name: 'id' }, { name: 'channel' }] });
  expect(shown.data?.['rows']).toHaveLength(1);

  const none = await plinth('quarantine', 'release', 's.orders', '--all');
  expect([none.code, none.stderr]).toEqual([
    0,
    expect.stringContaining('0 rows released, 2 of those chosen'),
  ]);
  project.write('audits/valid_channel.sql', audit("'web', 'shop', 'pos'"));
  expect((await plinth('plan', '--yes')).code).toBe(0);
  const released = await json('quarantine', 'release', 's.orders', '--all');
  expect(released).toMatchObject({ ok: true, schema: 'plinth.quarantine/1' });
  expect(released.data).toMatchObject({
    kind: 'quarantine',
    models: [{ name: 's.orders', rows: 1, balance: { input: 2, published: 1, quarantined: 1 } }],
  });
  expect(await rows('SELECT id FROM s.orders ORDER BY id')).toEqual([[1], [2], [3], [5]]);
  // What is below is due again, and the next run fills it.
  expect(await rows('SELECT orders FROM s.totals')).toEqual([[3]]);
  expect((await plinth('run')).code).toBe(0);
  expect(await rows('SELECT orders FROM s.totals')).toEqual([[4]]);

  const bare = await json('quarantine', 'release', 's.orders', '--all', '--accept');
  expect(bare.error).toMatchObject({ code: 'quarantine.no-reason' });
  const words = ['release', 's.orders', '--where', "channel = 'fax'", '--accept', '--reason', 'it is 1998'];
  expect((await json('quarantine', ...words)).data).toMatchObject({
    models: [{ rows: 1, audits: [{ name: 'valid_channel', status: 'warned', failed_rows: 1 }] }],
  });
  expect(await held()).toMatchObject({ rows: 0, held: [] });
  expect((await plinth('quarantine')).stderr).toContain('No rows are held back in prod.');
  expect(await heldReason()).toEqual([]);
});

test('discarded rows are gone, and what is asked for wrongly is refused', async () => {
  project = plannedProject(FILES);
  const { plinth, json } = project;
  expect((await plinth('plan', '--yes')).code).toBe(0);
  expect((await json('quarantine', 'discard', 's.orders')).error).toMatchObject({
    code: 'quarantine.nothing-chosen',
  });
  expect((await json('quarantine', 'show')).error).toMatchObject({ code: 'cli.missing-argument' });
  expect((await json('quarantine', 'discard', 's.orders', '--all', '--accept')).error).toMatchObject({
    code: 'cli.unknown-option',
  });
  const { stderr } = await plinth(
    'quarantine',
    'discard',
    's.orders',
    '--where',
    'id = 4',
    '--reason',
    'fax',
  );
  expect(stderr).toContain('1 row discarded');
  expect((await json('quarantine')).data).toMatchObject({ rows: 1 });
  expect((await json('quarantine', 'show', 's.totals')).error).toMatchObject({
    code: 'quarantine.nothing-held',
  });
});
