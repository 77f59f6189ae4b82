import { beforeAll, describe, expect, it } from 'vitest';
import { semanticProject, type World } from '../../../tests/support/semantic-project.ts';
import { compileSemanticSql, OPEN_TABLES } from './sql/compile-semantic-sql.ts';

const join = (name: string, more = ''): string =>
  `{name: ${name}, type: many_to_one, on: "{id} = {${name}.id}"${more}}`;
const semantic = (name: string, joins: readonly string[], table = 'm.t'): string =>
  `kind: semantic\nname: ${name}\nmodel: ${table}\nprimary_key: [id]\ndimensions: [id, label]\njoins: [${joins.join(', ')}]\n`;
const names = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${letter}${i}`);

/** Facts that each join all dimensions, by columns that tell the ways apart. */
function shared(facts: number, dimensions: number): readonly string[] {
  const joins = names('d', dimensions).map(
    (name) => `{name: ${name}, type: many_to_one, on: "{k} = {${name}.id}"}`,
  );
  return [
    ...names('f', facts).map((name) => semantic(name, joins, `m.${name}`)),
    ...names('d', dimensions).map((name) => semantic(name, [], 'm.d')),
  ];
}

/** One row of each fact, numbered; the rows of even facts meet dimension 1, those of odd ones dimension 2. */
const tables = (facts: number): Readonly<Record<string, string>> => ({
  'm.d': "SELECT * FROM (VALUES (1, 'one'), (2, 'two')) AS v(id, label)",
  ...Object.fromEntries(
    names('f', facts).map((name, i) => [
      `m.${name}`,
      `SELECT ${i} AS id, '${name}' AS label, ${1 + (i % 2)} AS k`,
    ]),
  ),
});

describe('facts that share dimensions', () => {
  let world: World;
  beforeAll(async () => {
    world = await semanticProject(tables(5), shared(5, 4));
  });
  const told = (query: Parameters<World['compile']>[0]): string => {
    const result = world.compile(query);
    return result.ok ? 'answered' : result.diagnostics.map(({ message }) => message).join(' ');
  };

  it('reach what they join directly, and what joins them, without a word', async () => {
    expect(await world.rows({ measures: ['d0.count'], dimensions: ['f0.label'] })).toEqual([
      ['f0', '1'],
      [null, '1'],
    ]);
    expect(await world.rows({ measures: ['f0.count'], dimensions: ['d0.label'] })).toEqual([['one', '1']]);
    expect(await world.rows({ measures: ['f0.count', 'f1.count'], dimensions: ['d0.label'] })).toEqual([
      ['one', '1', '0'],
      ['two', '0', '1'],
    ]);
  });

  it('are ambiguous between each other, which names the stops of the shortest ways', () => {
    expect(told({ measures: ['d0.count'], dimensions: ['d1.label'] })).toBe(
      'More than one join path leads from d0 to d1: f0 → d1; f1 → d1; f2 → d1; f3 → d1; ….',
    );
    expect(told({ measures: ['f0.count'], dimensions: ['f1.label'] })).toBe(
      'More than one join path leads from f0 to f1: d0 → f1; d1 → f1; d2 → f1; d3 → f1; ….',
    );
    const result = world.compile({ measures: ['d0.count'], dimensions: ['d1.label'] });
    expect(result.ok ? '' : result.diagnostics[0]?.hint).toContain('joinHints [["f0","d1"]]');
  });

  it('go by a hint, by its stops one after the other', async () => {
    const asked = (joinHints: readonly (readonly string[])[]) =>
      world.rows({ measures: ['d0.count'], dimensions: ['d1.label'], joinHints });
    expect(await asked([['f2']])).toEqual([
      ['one', '1'],
      [null, '1'],
    ]);
    expect(await asked([['f1', 'd1']])).toEqual([
      ['two', '1'],
      [null, '1'],
    ]);
    expect(await asked([['f2', 'd3', 'f0']])).toEqual([
      ['one', '1'],
      [null, '1'],
    ]);
    // A list about something else, or one that leads nowhere, says nothing about this way.
    for (const joinHints of [[['f1', 'd2']], [['nothing']], [['f1', 'f2']]])
      expect(told({ measures: ['d0.count'], dimensions: ['d1.label'], joinHints })).toContain(
        'More than one',
      );
  });

  it('keep a direct join beside a hint for another way, and leave it for a hint that ends there', async () => {
    const two = { measures: ['d0.count'], dimensions: ['f0.label', 'd1.label'] };
    expect(await world.rows({ ...two, joinHints: [['f0', 'd1']] })).toEqual([
      ['f0', 'one', '1'],
      [null, null, '1'],
    ]);
    expect(await world.rows({ ...two, joinHints: [['f2', 'd1']] })).toEqual([
      ['f0', 'one', '1'],
      [null, null, '1'],
    ]);
    expect(
      await world.rows({ measures: ['d0.count'], dimensions: ['f1.label'], joinHints: [['f2', 'd3', 'f1']] }),
    ).toEqual([[null, '2']]);
    expect(
      await world.rows({ measures: ['d0.count'], dimensions: ['f0.label'], joinHints: [['d0', 'f0']] }),
    ).toEqual([
      ['f0', '1'],
      [null, '1'],
    ]);
  });

  it('go by the conditions of ON in SQL', () => {
    const compiled = (sql: string): string => {
      const result = compileSemanticSql(world.index, sql, {
        dialect: 'duckdb',
        caller: { groups: [], isUnrestricted: true },
        now: 0,
        models: new Set(),
        tables: OPEN_TABLES,
        relationOf: (model) => ({ schema: 'm', name: model.split('.')[1] ?? '' }),
      });
      return result.ok ? result.reads.join(' ') : result.diagnostics.map(({ code }) => code).join(' ');
    };
    const select = 'SELECT d1.label, d0.count FROM d0';
    expect(compiled(`${select} JOIN d1`)).toBe('semantic.ambiguous-path');
    expect(compiled(`${select} JOIN f3 ON f3.k = d0.id JOIN d1 ON f3.k = d1.id`)).toBe('m.d m.f3');
    expect(compiled(`${select} JOIN f1 ON f1.k = d0.id JOIN d1 ON f1.k = d1.id`)).toBe('m.d m.f1');
    expect(compiled('SELECT f0.label, count(*) FROM d0 JOIN f0 ON d0.id = f0.k GROUP BY 1')).toBe('m.f0');
  });
});

describe('thirty facts and thirty dimensions', () => {
  it('are asked, hinted and refused without looking at all ways', async () => {
    const world = await semanticProject(tables(30), shared(30, 30));
    expect(await world.rows({ measures: ['d0.count'], dimensions: ['f29.label'] })).toEqual([
      ['f29', '1'],
      [null, '1'],
    ]);
    expect(
      await world.rows({ measures: ['d0.count'], dimensions: ['d29.label'], joinHints: [['f29', 'd29']] }),
    ).toEqual([
      ['two', '1'],
      [null, '1'],
    ]);
    expect(world.codes({ measures: ['d0.count'], dimensions: ['d29.label'] })).toEqual([
      'semantic.ambiguous-path',
    ]);
    expect(world.codes({ measures: ['f0.count'], dimensions: ['f29.label'] })).toEqual([
      'semantic.ambiguous-path',
    ]);
    expect(world.codes({ dimensions: ['d0.label', 'd29.label'] })).toEqual(['semantic.no-base']);
  });
});

/** Each of them joins all that come later, so that there are thousands of ways; `pendant` hangs on the first alone. */
const CROWD = names('c', 12);
const FILES = [
  ...CROWD.map((name, i) =>
    semantic(
      name,
      CROWD.slice(i + 1).map((each) => join(each)),
    ),
  ),
  semantic('pendant', [join('c0')]),
  semantic('owner', ['{name: parts, model: c11, type: one_to_many, on: "{id} = {parts.id}"}', join('c3')]),
  semantic('shop', [join('buyer', ', model: people'), join('place')]),
  semantic('line', [join('shop'), join('item')]),
  semantic('visit', [join('item'), join('people')]),
  semantic('people', []),
  semantic('place', []),
  semantic('item', []),
];

describe('a way to what is named', () => {
  let world: World;
  beforeAll(async () => {
    world = await semanticProject({ 'm.t': "SELECT * FROM (VALUES (1, 'a')) AS v(id, label)" }, FILES);
  });

  it('is a direct join, however many others lead there', async () => {
    const direct = [['a', '1']];
    expect(await world.rows({ measures: ['c11.count'], dimensions: ['c0.label'] })).toEqual(direct);
    expect(
      await world.rows({ measures: ['c11.count'], dimensions: ['c0.label'], joinHints: [['pendant']] }),
    ).toEqual(direct);
    expect(await world.rows({ measures: ['owner.count'], dimensions: ['parts.label'] })).toEqual(direct);
  });

  it('is found where only one leads out of the crowd', async () => {
    expect(await world.rows({ measures: ['c0.count'], dimensions: ['pendant.label'] })).toEqual([['a', '1']]);
  });

  it('is refused where several are left', () => {
    expect(world.codes({ measures: ['pendant.count'], dimensions: ['parts.label'] })).toEqual([
      'semantic.ambiguous-path',
    ]);
    expect(world.codes({ measures: ['pendant.count'], dimensions: ['c11.label'] })).toEqual([
      'semantic.ambiguous-path',
    ]);
  });

  it('is to-one before it is over a join of that name somewhere else', () => {
    const { sql } = world.sql({ measures: ['line.count'], dimensions: ['people.label'] });
    expect(sql).toContain('AS buyer');
    expect(sql).not.toContain('visit');
  });
});
