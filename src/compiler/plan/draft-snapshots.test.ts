import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileText, modelFile, projectOf } from '../../../tests/support/plan/compile-text.ts';
import { type DraftSnapshot, draftSnapshots } from './draft-snapshots.ts';
import { KIND_PARTS, MODEL_PARTS } from './property-parts.ts';

const SHOP = join(import.meta.dirname, '../../../examples/shop');

function shopFiles(): Record<string, string> {
  const paths = readdirSync(SHOP, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    paths
      .filter((entry) => entry.isFile() && /\.(sql|ya?ml|csv)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(SHOP.length + 1), readFileSync(path, 'utf8').slice(0, 200_000)]),
  );
}

const byName = (drafts: readonly DraftSnapshot[]): ReadonlyMap<string, DraftSnapshot> =>
  new Map(drafts.map((draft) => [draft.model, draft]));

async function draftsOf(
  files: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, DraftSnapshot>> {
  return byName(draftSnapshots((await compileText(files)).project));
}

describe('the table of properties', () => {
  test('decides about every property of every loaded model and kind', async () => {
    const kinds = [
      'FULL',
      'VIEW',
      'INCREMENTAL_BY_TIME_RANGE (time_column d)',
      'INCREMENTAL_BY_UNIQUE_KEY (unique_key d)',
      'SCD_TYPE_2_BY_COLUMN (unique_key d, columns *)',
      'SCD_TYPE_2_BY_TIME (unique_key d)',
      'INCREMENTAL_UNMANAGED',
      'EMBEDDED',
    ];
    const project = await projectOf(
      Object.fromEntries(
        kinds.map((kind, i) => [`m.m${i}`, [kind, "SELECT DATE '2024-01-01' AS d, now() AS updated_at"]]),
      ),
    );
    for (const model of project.models) {
      expect(Object.keys(model).filter((key) => !Object.hasOwn(MODEL_PARTS, key))).toEqual([]);
      expect(Object.keys(model.kind).filter((key) => !Object.hasOwn(KIND_PARTS, key))).toEqual([]);
    }
  });
  test('has no property that the source of ModelDefinition does not have, and all of those it has', () => {
    const source = readFileSync(join(import.meta.dirname, '../../domain/model.ts'), 'utf8');
    const keysOf = (name: string): string[] => {
      const body =
        new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(source)?.[1] ?? '';
      return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => match[1] as string);
    };
    const keys = [...keysOf('ModelDefinition'), ...keysOf('Model')];
    expect(keys.length).toBeGreaterThan(40);
    expect(Object.keys(MODEL_PARTS).sort()).toEqual(keys.sort());
  });
});

describe('spelling', () => {
  /** Each keeps what a query means and changes how it is written. */
  const respellings: readonly (readonly [string, (text: string) => string])[] = [
    ['comments between the lines', (text) => text.replace(/\nFROM /g, '\n-- where from\nFROM ')],
    ['other white space', (text) => text.replace(/\n\s*/g, '\n\n   ')],
    [
      'keywords in small letters',
      (text) => text.replace(/\b(SELECT|FROM|WHERE|GROUP BY|LEFT JOIN|AS)\b/g, (w) => w.toLowerCase()),
    ],
    ['a final semicolon', (text) => `${text.trimEnd().replace(/;$/, '')};\n`],
  ];
  test.each(respellings)('%s: no fingerprint of the shop changes', async (_, respell) => {
    const files = shopFiles();
    const before = await draftsOf(files);
    const respelled = Object.fromEntries(
      Object.entries(files).map(([path, text]) => {
        if (!path.startsWith('models/') || !path.endsWith('.sql')) return [path, text];
        const end = text.indexOf(');\n');
        return [path, text.slice(0, end + 3) + respell(text.slice(end + 3))];
      }),
    );
    expect(respelled).not.toEqual(files);
    const after = await draftsOf(respelled);
    expect(before.size).toBeGreaterThan(15);
    expect([...after]).toEqual([...before]);
  });
  test('a comment that becomes the description of a column is metadata', async () => {
    const of = (query: string) => draftsOf({ 'models/a.sql': modelFile('m.a', 'FULL', query) });
    const before = (await of('SELECT 1 AS x')).get('m.a');
    const after = (await of('SELECT\n  1 AS x -- the number\n')).get('m.a');
    expect(after?.dataHash).toBe(before?.dataHash);
    expect(after?.metadataHash).not.toBe(before?.metadataHash);
  });
  test('spelling of keys and partitions does not count', async () => {
    const of = (options: string) =>
      draftsOf({
        'models/a.sql': modelFile(
          'm.a',
          `INCREMENTAL_BY_UNIQUE_KEY (unique_key ${options})`,
          'SELECT 1 AS a, 2 AS b',
        ),
      });
    expect(await of('(a, lower(b))')).toEqual(await of('(A, LOWER( b ))'));
  });
});

describe('any change of data', () => {
  /** Each changes what a query returns, wherever it can be applied. */
  const edits: readonly (readonly [string, (query: string) => string])[] = [
    ['fewer rows', (query) => `SELECT * FROM (${query}) AS q LIMIT 12345`],
    ['another column', (query) => query.replace(/\bSELECT\b/, 'SELECT 4711 AS something_new,')],
    ['another number', (query) => query.replace(/\b\d+\b/, '98765')],
    ['another text', (query) => query.replace(/'(\w+)'/, "'$1x'")],
    ['another comparison', (query) => query.replace(/ = /, ' <> ')],
    ['another join', (query) => query.replace(/\bLEFT JOIN\b/, 'JOIN')],
  ];
  test.each(edits)('%s: every model of the shop it is done to has another data part', async (_, edit) => {
    const files = shopFiles();
    const before = await draftsOf(files);
    const edited = new Set<string>();
    const after = Object.fromEntries(
      Object.entries(files).map(([path, text]) => {
        const end = text.indexOf(');\n') + 3;
        const query = text.slice(end).trim().replace(/;$/, '');
        const isPlain = /^(?:SELECT|WITH)\b/.test(query) && !query.includes(';');
        if (!path.startsWith('models/') || !path.endsWith('.sql') || !isPlain) return [path, text];
        const changed = edit(query);
        if (changed !== query) edited.add(path);
        return [path, `${text.slice(0, end)}${changed}\n`];
      }),
    );
    const compiled = await compileText(after, { mayHaveErrors: true });
    const drafts = byName(draftSnapshots(compiled.project));
    expect(edited.size).toBeGreaterThan(0);
    const same = compiled.project.models
      .filter(
        ({ file, name }) => edited.has(file) && drafts.get(name)?.dataHash === before.get(name)?.dataHash,
      )
      .map(({ name }) => name);
    expect(same).toEqual([]);
  });
});

/** Which parts of m.a's fingerprint change with an edit of its block or query. */
async function partsChanged(
  before: readonly [string, string, string?],
  after: readonly [string, string, string?],
) {
  const [a, b] = await Promise.all(
    [before, after].map(async (model) =>
      byName(draftSnapshots(await projectOf({ 'm.a': model }))).get('m.a'),
    ),
  );
  return {
    data: a?.dataHash !== b?.dataHash,
    metadata: a?.metadataHash !== b?.metadataHash,
    parents: a?.parentsHash !== b?.parentsHash,
  };
}

describe('what changes which part', () => {
  const query = "SELECT DATE '2024-01-01' AS d, 1 AS x";
  const incremental = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';
  const data = { data: true, metadata: false, parents: false };
  const metadata = { data: false, metadata: true, parents: false };
  const nothing = { data: false, metadata: false, parents: false };
  test.each<[string, readonly [string, string, string?], readonly [string, string, string?], object]>([
    ['a literal', ['FULL', query], ['FULL', query.replace('1 AS', '2 AS')], data],
    ['an alias', ['FULL', query], ['FULL', query.replace('AS x', 'AS y')], data],
    ['declared columns', ['FULL', query], ['FULL', query, 'columns (d DATE, x BIGINT)'], data],
    [
      'partitions that are replaced',
      ['INCREMENTAL_BY_PARTITION', query, 'partitioned_by (d)'],
      ['INCREMENTAL_BY_PARTITION', query, 'partitioned_by (x)'],
      data,
    ],
    ['partitions of another kind', [incremental, query], [incremental, query, 'partitioned_by (x)'], nothing],
    ['table_format', ['FULL', query], ['FULL', query, 'table_format iceberg'], nothing],
    ['storage_format', ['FULL', query], ['FULL', query, 'storage_format parquet'], nothing],
    ['clustered_by', ['FULL', query], ['FULL', query, 'clustered_by x'], nothing],
    ['materialized', ['VIEW', query], ['VIEW (materialized true)', query], nothing],
    [
      'partition_by_time_column',
      [incremental, query],
      ['INCREMENTAL_BY_TIME_RANGE (time_column d, partition_by_time_column false)', query],
      nothing,
    ],
    ['the stamp', ['FULL', query], ['FULL', query, "stamp 'again'"], data],
    [
      'a statement before the query',
      ['FULL', query],
      ['FULL', `CREATE TEMP TABLE t AS SELECT 1;\n${query}`],
      data,
    ],
    [
      'a statement at promotion',
      ['FULL', query],
      ['FULL', `${query};\nON_VIRTUAL_UPDATE_BEGIN;\nSELECT 1;\nON_VIRTUAL_UPDATE_END;`],
      metadata,
    ],
    ['the owner', ['FULL', query], ['FULL', query, 'owner mara'], metadata],
    ['the description', ['FULL', query], ['FULL', query, "description 'x'"], metadata],
    ['tags', ['FULL', query], ['FULL', query, 'tags (gold)'], metadata],
    ['cron', ['FULL', query], ['FULL', query, "cron '@hourly'"], metadata],
    ['start', ['FULL', query], ['FULL', query, "start '2024-01-01'"], metadata],
    ['an audit', ['FULL', query], ['FULL', query, 'audits (not_null(columns := (x)))'], metadata],
    ['grain', ['FULL', query], ['FULL', query, 'grain x'], metadata],
    [
      'lookback',
      [incremental, query],
      ['INCREMENTAL_BY_TIME_RANGE (time_column d, lookback 2)', query],
      metadata,
    ],
    ['column descriptions', ['FULL', query], ['FULL', query, "column_descriptions (x = 'y')"], metadata],
  ])('%s', async (_, before, after, expected) => expect(await partsChanged(before, after)).toEqual(expected));
  test('the kind changes data, and options of the other kind with it', async () =>
    expect(await partsChanged(['FULL', query], [incremental, query])).toMatchObject({ data: true }));
  test('the definition of an audit is metadata of the models that use it', async () => {
    const of = async (limit: number) =>
      draftsOf({
        'models/a.sql': modelFile('m.a', 'FULL', 'SELECT 1 AS x', 'audits (small)'),
        'models/b.sql': modelFile('m.b', 'FULL', 'SELECT 1 AS x'),
        'audits/small.sql': `AUDIT (name small);\nSELECT * FROM @this_model WHERE x > ${limit}`,
      });
    const [before, after] = [await of(1), await of(2)];
    expect(after.get('m.a')?.dataHash).toBe(before.get('m.a')?.dataHash);
    expect(after.get('m.a')?.metadataHash).not.toBe(before.get('m.a')?.metadataHash);
    expect(after.get('m.b')).toEqual(before.get('m.b'));
  });
  test('the content of a seed is data, its path is not', async () => {
    const of = async (path: string, csv: string) =>
      (
        await draftsOf({
          'models/s.sql': `MODEL (name m.s, kind SEED (path '../${path}'));`,
          [path]: csv,
        })
      ).get('m.s');
    const before = await of('seeds/a.csv', 'x,y\n1,2\n');
    expect(await of('seeds/b.csv', 'x,y\n1,2\n')).toEqual(before);
    expect((await of('seeds/a.csv', 'x,y\n1,3\n'))?.dataHash).not.toBe(before?.dataHash);
  });
});

describe('parents', () => {
  const chain = (a: string, properties = '') =>
    projectOf({
      'm.a': ['FULL', a, properties],
      'm.e': ['EMBEDDED', 'SELECT x FROM m.a'],
      'm.b': ['FULL', 'SELECT x FROM m.e'],
      'm.c': ['FULL', 'SELECT x FROM m.b'],
      'm.z': ['FULL', 'SELECT 1 AS x'],
    });
  test('a data change reaches everything below, through EMBEDDED, and nothing else', async () => {
    const before = byName(draftSnapshots(await chain('SELECT 1 AS x')));
    const after = byName(draftSnapshots(await chain('SELECT 2 AS x')));
    const changed = [...after.values()].filter(
      ({ model, fingerprint }) => before.get(model)?.fingerprint !== fingerprint,
    );
    expect(changed.map(({ model }) => model).sort()).toEqual(['m.a', 'm.b', 'm.c', 'm.e']);
    expect(after.get('m.c')?.dataHash).toBe(before.get('m.c')?.dataHash);
  });
  test('a metadata change stays where it is', async () => {
    const before = byName(draftSnapshots(await chain('SELECT 1 AS x')));
    const after = byName(draftSnapshots(await chain('SELECT 1 AS x', 'owner mara')));
    const changed = [...after.values()].filter(
      ({ model, fingerprint }) => before.get(model)?.fingerprint !== fingerprint,
    );
    expect(changed.map(({ model }) => model)).toEqual(['m.a']);
  });
  test('a declaration of an external table counts only below a star', async () => {
    const of = (columns: string) =>
      draftsOf({
        'external_models.yaml': `- name: raw.t\n  columns:\n    x: INT\n${columns}`,
        'models/a.sql': modelFile('m.star', 'FULL', 'SELECT * FROM raw.t'),
        'models/b.sql': modelFile('m.named', 'FULL', 'SELECT x FROM raw.t'),
      });
    const [before, after] = [await of(''), await of('    y: INT\n')];
    expect(after.get('m.named')).toEqual(before.get('m.named'));
    expect(after.get('m.star')?.parentsHash).not.toBe(before.get('m.star')?.parentsHash);
  });
});

test('two models of the same text are two snapshots', async () => {
  const project = await projectOf({ 'm.a': ['FULL', 'SELECT 1 AS x'], 'm.b': ['FULL', 'SELECT 1 AS x'] });
  const prints = draftSnapshots(project).map(({ fingerprint }) => fingerprint);
  expect(new Set(prints).size).toBe(2);
});
