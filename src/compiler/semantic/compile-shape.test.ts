import { beforeAll, describe, expect, test } from 'vitest';
import { semanticProject, type World } from '../../../tests/support/semantic-project.ts';
import type { QueryFilter, SemanticQuery } from '../../domain/semantic-query.ts';

const TABLES = {
  'm.posts': `SELECT * FROM (VALUES (1, 'A', 4, TIMESTAMP '2024-01-31 23:30:00'), (2, 'B', 2, TIMESTAMP '2024-02-10 10:00:00'), (3, 'a_b', NULL, TIMESTAMP '2024-02-11 00:00:00')) AS t(id, title, score, "at")`,
  'm.post_tags': `SELECT * FROM (VALUES (1, 1), (1, 2), (2, 1)) AS t(post_id, tag_id)`,
  'm.tags': `SELECT * FROM (VALUES (1, 'red'), (2, 'blue'), (3, 'none')) AS t(id, label)`,
};
const YAML = [
  `kind: semantic
name: posts
depends_on: m.posts
dimensions: [id, title, score, at]
measures:
  - {name: points, type: sum, expression: "{score}"}
  - {name: high, type: count, filters: ["{score} > 3"]}
joins: [{name: labels, model: tags, type: many_to_many, through: post_tags}]
`,
  `kind: semantic
name: post_tags
depends_on: m.post_tags
joins:
  - {name: posts, type: many_to_one, on: "{post_id} = {posts.id}"}
  - {name: tags, type: many_to_one, on: "{tag_id} = {tags.id}"}
`,
  'kind: semantic\nname: tags\ndepends_on: m.tags\n',
];

let world: World;
beforeAll(async () => {
  world = await semanticProject(TABLES, YAML);
});

const title = (
  operator: 'contains' | 'notContains' | 'startsWith' | 'notEquals',
  ...values: (string | null)[]
) => ({ kind: 'member', member: 'posts.title', operator, values }) satisfies QueryFilter;
const ids = async (filter: QueryFilter): Promise<readonly unknown[]> =>
  (await world.rows({ dimensions: ['posts.id'], filters: [filter] })).map(([id]) => id);

describe('a many-to-many join', () => {
  test('is its bridge, by the name of the model and of the role', async () => {
    const rows = [
      ['red', '6'],
      ['blue', '4'],
      [null, null],
    ];
    expect(await world.rows({ measures: ['posts.points'], dimensions: ['tags.label'] })).toEqual(rows);
    expect(await world.rows({ measures: ['posts.points'], dimensions: ['labels.label'] })).toEqual(rows);
  });
  test('works backwards', async () => {
    expect(await world.rows({ measures: ['tags.count'], dimensions: ['posts.title'] })).toEqual([
      ['A', '2'],
      ['B', '1'],
      [null, '1'],
    ]);
  });
});

describe('filters', () => {
  test('ignore case and take signs of patterns as they are', async () => {
    expect(await ids(title('contains', 'A_'))).toEqual([3]);
    expect(await ids(title('startsWith', 'a'))).toEqual([1, 3]);
    expect(await ids(title('notContains', 'a'))).toEqual([2]);
  });
  test('that exclude keep NULL unless null is excluded', async () => {
    const score = (...values: (number | null)[]) =>
      ({ kind: 'member', member: 'posts.score', operator: 'notEquals', values }) satisfies QueryFilter;
    expect(await ids(score(4))).toEqual([2, 3]);
    expect(await ids(score(4, null))).toEqual([2]);
  });
  test('a value is never SQL', async () => {
    const evil = "x'; DROP TABLE m.posts; --";
    expect(await ids(title('notEquals', evil))).toEqual([1, 2, 3]);
    expect(world.sql({ dimensions: ['posts.id'], filters: [title('notEquals', evil)] }).sql).toContain(
      "'x''; DROP TABLE m.posts; --'",
    );
  });
  test('ten thousand filters and a thousand levels are compiled', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => title('notEquals', `v${i}`));
    let deep: QueryFilter = title('contains', 'x');
    for (let i = 0; i < 1000; i++)
      deep = { kind: i % 2 === 0 ? 'or' : 'and', filters: [deep, title('contains', 'y')] };
    expect(world.compile({ measures: ['posts.count'], filters: many }).ok).toBe(true);
    expect(world.compile({ measures: ['posts.count'], filters: [{ kind: 'or', filters: many }] }).ok).toBe(
      true,
    );
    expect(world.compile({ measures: ['posts.count'], filters: [deep] }).ok).toBe(true);
  });
  test('all problems are told at once, each with the nearest name', () => {
    const result = world.compile({
      measures: ['posts.pointz'],
      dimensions: ['post.title'],
      filters: [title('contains')],
      timezone: 'UTC',
    });
    expect(result.ok ? [] : result.diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
      ['semantic.unknown-semantic-model', 'did you mean posts?'],
      ['semantic.unknown-member', 'did you mean posts.points?'],
    ]);
  });
});

describe('the shape of an answer', () => {
  const asked: Partial<SemanticQuery> = {
    measures: ['posts.points'],
    timeDimensions: [
      { dimension: 'posts.at', granularity: 'month', dateRange: ['2024-01-01', '2024-12-31'] },
    ],
  };
  test('a zone moves rows to other buckets', async () => {
    expect((await world.rows(asked)).map(([, points]) => points)).toEqual(['4', '2']);
    expect((await world.rows({ ...asked, timezone: 'Europe/Vienna' })).map(([, points]) => points)).toEqual([
      '6',
    ]);
  });
  test('columns have names, members, kinds, types and granularities', () => {
    expect(world.sql(asked).columns).toEqual([
      { name: 'posts.at.month', member: 'posts.at', kind: 'time', type: 'TIMESTAMP', granularity: 'month' },
      { name: 'posts.points', member: 'posts.points', kind: 'measure', type: 'HUGEINT' },
    ]);
  });
  test('the total counts the rows without the limit', async () => {
    const { sql, totalSql } = world.sql({ ...asked, limit: 1, total: true });
    expect(sql).toContain('LIMIT 1');
    expect(totalSql).not.toContain('LIMIT');
  });
  test('compared ranges come one after the other under their names', async () => {
    const compareDateRange = [['2024-02-01', '2024-02-29'], 'this year', 'last year'] as const;
    expect(
      await world.rows({
        measures: ['posts.count'],
        timeDimensions: [{ dimension: 'posts.at', compareDateRange }],
      }),
    ).toEqual([
      ['2024-02-01 - 2024-02-29', '2'],
      ['this year', '3'],
      ['last year', '0'],
    ]);
  });
  test('ungrouped rows are those of the fact', async () => {
    expect(
      await world.rows({
        measures: ['posts.points', 'posts.high'],
        dimensions: ['posts.id'],
        ungrouped: true,
      }),
    ).toEqual([
      [1, 4, 1],
      [2, 2, 0],
      [3, null, 0],
    ]);
  });
  test('an order by a measure that is no column', async () => {
    expect(
      await world.rows({ dimensions: ['posts.id'], order: [{ member: 'posts.points', direction: 'asc' }] }),
    ).toEqual([[2], [1], [3]]);
  });
  test('is explained in words', () => {
    expect(world.sql({ measures: ['posts.points'], dimensions: ['tags.label'] }).explanation).toEqual([
      'posts: rows of posts',
      '  to many post_tags from posts',
      '  to one tags from post_tags',
      '  each row once for each group',
      '  by label = tags.label',
      '  points = SUM(posts.score)',
      'order by points desc, label asc',
      'at most 10000 rows',
    ]);
  });
});

test('expressions in the dialect of their model meet in one', async () => {
  const other = await semanticProject(
    { 'm.p': "SELECT 1 AS id, 'x' AS name" },
    [
      'kind: semantic\nname: p\ndepends_on: m.p\ndimensions: [{name: up, expression: "COALESCE(SAFE_CAST({name} AS STRING), `name`)"}]\n',
    ],
    { 'm.p': 'bigquery' },
  );
  expect(await other.rows({ measures: ['p.count'], dimensions: ['p.up'] })).toEqual([['x', '1']]);
  expect(other.sql({ dimensions: ['p.up'] }, { dialect: 'snowflake' }).sql).toContain(
    'COALESCE(TRY_CAST(p.name AS VARCHAR), p.name)',
  );
});

test('measures that refer to each other in a circle are refused, not followed', async () => {
  const circle = await semanticProject({ 'm.c': 'SELECT 1 AS id' }, [
    'kind: semantic\nname: c\ndepends_on: m.c\nmeasures: [{name: a, type: number, expression: "{b} + 1"}, {name: b, type: number, expression: "{a} + 1"}]\n',
  ]);
  expect(circle.codes({ measures: ['c.a'] })).toEqual(['semantic.cycle']);
});
