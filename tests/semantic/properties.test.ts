/* What must hold of answers whatever they are: the compiler against itself on random projects. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { QueryFilter, QueryValue, SemanticQuery } from '../../src/domain/semantic-query.ts';
import { IS_LONG } from '../support/long-form.ts';
import { overCases, seedOf } from './oracle/cases.ts';
import { reference } from './oracle/form.ts';
import { queryOf } from './oracle/generate-query.ts';
import { worldOf } from './oracle/generate-world.ts';
import { isToOne, pathsBetween } from './oracle/paths.ts';
import { type Compile, compilerFor, type Database, database } from './oracle/project.ts';
import { sqlForm } from './oracle/sql-form.ts';
import { Tape } from './oracle/tape.ts';
import type { World, WorldModel } from './oracle/world.ts';

let warehouse: Database;
beforeAll(async () => {
  warehouse = await database();
});

type Row = readonly unknown[];
type Ask = (query: SemanticQuery) => Promise<readonly Row[] | undefined>;

/** Answers, or undefined when the question is refused. */
function asker(compile: Compile): Ask {
  return async (query) => {
    const result = compile(query);
    return result.ok ? (await warehouse.query(result.compiled.sql)).rows : undefined;
  };
}

/** Asks a property of several worlds, with many choices for each; enough of them must have been about something. */
async function holds(
  property: (ask: Ask, world: World, tape: Tape, compile: Compile) => Promise<boolean>,
): Promise<void> {
  let told = 0;
  let tried = 0;
  await overCases({
    cases: IS_LONG ? 720 : 120,
    questionsMax: 12,
    seed: seedOf(5),
    prepare: async (choices) => {
      const world = withEnds(worldOf(choices));
      const compile = compilerFor(world);
      await warehouse.fill(world);
      return (question) => property(asker(compile), world, new Tape(question), compile);
    },
    count: (isTold) => {
      tried++;
      if (isTold) told++;
    },
  });
  console.log(`${told} of ${tried} questions`);
  expect(told).toBeGreaterThan(tried / 10);
}

/** Gives every model the least and the greatest of a column: they tell of single rows. */
function withEnds(world: World): World {
  const ends = (['min', 'max'] as const).map((type) => ({
    name: type === 'min' ? 'least' : 'most',
    type,
    expression: reference('n'),
    filters: [],
  }));
  return {
    ...world,
    // Windows over groups depend on what the groups are, so none of this holds of them.
    models: world.models.map((model) => ({
      ...model,
      measures: [...model.measures.filter(({ name }) => !name.startsWith('over_')), ...ends],
    })),
  };
}

const keyOf = (row: Row, count: number): string => JSON.stringify(row.slice(0, count));
const close = (a: unknown, b: unknown): boolean => {
  if (a === null || b === null || typeof a === 'boolean') return a === b;
  const [x, y] = [Number(a), Number(b)];
  return Number.isNaN(x) ? a === b : Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(x));
};

/** Sums exactly, in hundredths; nothing summed is NULL. */
function sum(values: readonly unknown[]): number | null {
  const numbers = values.filter((value) => value !== null).map((value) => Math.round(Number(value) * 100));
  return numbers.length === 0 ? null : numbers.reduce((a, b) => a + b, 0) / 100;
}

const plain = ({ limit: _, offset: __, order: ___, total: ____, ...query }: SemanticQuery): SemanticQuery =>
  query;

/** A random question that groups by nothing or something, without limit. */
function question(tape: Tape, world: World): SemanticQuery {
  const query = plain(queryOf(tape, world));
  const { ungrouped: _, ...grouped } = query;
  return grouped;
}

/** The one row of a question without dimensions, when there is nothing in it. */
const isNothing = (row: Row, width: number): boolean =>
  width === 0 && row.every((cell) => cell === null || Number(cell) === 0);

const additive = (model: WorldModel): readonly string[] => [
  `${model.name}.count`,
  ...model.measures
    .filter(({ type }) => type === 'sum' || type === 'count')
    .map(({ name }) => `${model.name}.${name}`),
];

/** Dimensions that a model reaches to-one, so that each of its rows has one value. */
function toOneDimensions(world: World, model: WorldModel): readonly string[] {
  return world.models.flatMap((other) => {
    const [path, ...more] = pathsBetween(world, model.name, other.name);
    if (path === undefined || more.length > 0 || !path.every(isToOne)) return [];
    return other.dimensions.map(({ name }) => `${other.name}.${name}`);
  });
}

const rowFilters = (query: SemanticQuery): SemanticQuery['filters'] =>
  (query.filters ?? []).filter((filter) => !JSON.stringify(filter).match(/\.(m\d|d\d|dd|count)"/));

describe('properties of semantic answers', () => {
  test('another measure never changes a measure', { timeout: 600_000 }, async () => {
    await holds(async (ask, world, tape) => {
      const query = { ...question(tape, world) };
      const filters = rowFilters(query) ?? [];
      const [measure] = query.measures;
      if (measure === undefined) return false;
      const other = tape.pick(world.models.flatMap(additive));
      if (other === measure) return false;
      const alone = await ask({ ...query, filters, measures: [measure] });
      const together = await ask({ ...query, filters, measures: [measure, other] });
      if (alone === undefined || together === undefined) return false;
      const width = (together[0]?.length ?? 2) - 2;
      const found = new Map(together.map((row) => [keyOf(row, width), row[width]]));
      for (const row of alone) {
        expect(found.has(keyOf(row, width))).toBe(true);
        const value = found.get(keyOf(row, width));
        expect(close(row[width], value), `${row[width]} and ${value} in ${JSON.stringify(query)}`).toBe(true);
      }
      return true;
    });
  });

  test('another dimension never changes a measure: its parts are still the same rows', {
    timeout: 600_000,
  }, async () => {
    await holds(async (ask, world, tape) => {
      const query = question(tape, world);
      const model = tape.pick(world.models);
      if (query.timeDimensions?.some((each) => each.compareDateRange !== undefined)) return false;
      const filters = rowFilters(query) ?? [];
      const near = toOneDimensions(world, model);
      const far = world.models
        .flatMap(({ name, dimensions }) => dimensions.map((each) => `${name}.${each.name}`))
        .filter((name) => !query.dimensions.includes(name));
      const isNear = tape.chance(50);
      const [added] = tape.some(isNear ? near : far, 1);
      if (added === undefined || query.dimensions.includes(added)) return false;
      const measures = [
        `${model.name}.count`,
        tape.pick(additive(model)),
        `${model.name}.least`,
        `${model.name}.most`,
      ];
      const base = { ...query, measures, filters };
      const before = await ask(base);
      const after = await ask({ ...base, dimensions: [...query.dimensions, added] });
      if (before === undefined || after === undefined) return false;
      const width = before[0] === undefined ? 0 : before[0].length - measures.length;
      const parts = new Map<string, Row[]>();
      for (const row of after) {
        // The added column is after the dimensions, before the time buckets.
        const own = row.toSpliced(query.dimensions.length, 1);
        const key = keyOf(own, width);
        parts.set(key, [...(parts.get(key) ?? []), own.slice(width)]);
      }
      expect(parts.size, JSON.stringify(base)).toBe(before.filter((row) => !isNothing(row, width)).length);
      for (const row of before) {
        const [count, some, least, most] = row.slice(width);
        const own = parts.get(keyOf(row, width)) ?? [];
        const of = (i: number): readonly unknown[] =>
          own.map((part) => part[i]).filter((cell) => cell !== null);
        const about = `${added} in ${JSON.stringify(base)}`;
        if (isNear) {
          expect(close(count, sum(of(0)) ?? 0), about).toBe(true);
          expect(close(some, sum(of(1)) ?? (some === null ? null : 0)), about).toBe(true);
        }
        // Whatever the added dimension fans out to: a row is in some part, and none in a part that was not there before.
        expect(Number(count), about).toBeLessThanOrEqual(sum(of(0)) ?? 0);
        for (const part of of(0)) expect(Number(part), about).toBeLessThanOrEqual(Number(count));
        const numbers = (i: number): readonly number[] => of(i).map(Number);
        expect(least === null ? null : Number(least), about).toBe(
          of(2).length === 0 ? null : Math.min(...numbers(2)),
        );
        expect(most === null ? null : Number(most), about).toBe(
          of(3).length === 0 ? null : Math.max(...numbers(3)),
        );
      }
      return after.length > 1;
    });
  });

  test('a measure or dimension more in the files changes no answer', { timeout: 600_000 }, async () => {
    await holds(async (_, world, tape, compile) => {
      const query = question(tape, world);
      const more = compilerFor({
        ...world,
        models: world.models.map((model) => ({
          ...model,
          dimensions: [...model.dimensions, { name: 'added', type: 'int', expression: reference('n') }],
          measures: [
            ...model.measures,
            { name: 'added_sum', type: 'sum', expression: reference('n'), filters: [] },
          ],
        })),
      });
      const [before, after] = [compile(query), more(query)];
      expect(after.ok).toBe(before.ok);
      if (!before.ok || !after.ok) return false;
      expect(after.compiled.sql).toBe(before.compiled.sql);
      return true;
    });
  });

  test('totals are the sums of their parts where no row is in two of them', {
    timeout: 600_000,
  }, async () => {
    await holds(async (ask, world, tape) => {
      const query = question(tape, world);
      const model = tape.pick(world.models);
      const measures = [tape.pick(additive(model))];
      const filters = rowFilters(query) ?? [];
      const dimensions = tape.some(toOneDimensions(world, model), 1 + tape.next(2));
      const whole = await ask({ measures, dimensions: [], filters });
      const parts = await ask({ measures, dimensions, filters });
      if (whole === undefined || parts === undefined) return false;
      const expected = sum(parts.map((row) => row.at(-1)));
      const isCount = whole[0]?.[0] !== null;
      expect(
        close(whole[0]?.[0] ?? null, isCount && expected === null ? 0 : expected),
        JSON.stringify({ measures, dimensions, filters }),
      ).toBe(true);
      return parts.length > 1;
    });
  });

  test('days rolled up are months for additive measures', { timeout: 600_000 }, async () => {
    await holds(async (ask, world, tape) => {
      const query = question(tape, world);
      const timed = world.models.filter(({ columns }) =>
        columns.some(({ type }) => type === 'date' || type === 'timestamp'),
      );
      if (timed.length === 0) return false;
      const model = tape.pick(timed);
      const time = tape.pick(
        model.columns.filter(({ type }) => type === 'date' || type === 'timestamp'),
      ).name;
      const ask2 = (granularity: string) =>
        ask({
          measures: [tape.pick([`${model.name}.count`])],
          dimensions: [],
          timeDimensions: [{ dimension: `${model.name}.${time}`, granularity }],
          filters: rowFilters(query) ?? [],
          ...(query.timezone === undefined ? {} : { timezone: query.timezone }),
        });
      const days = await ask2('day');
      const months = await ask2('month');
      if (days === undefined || months === undefined) return false;
      const sums = new Map<string, number>();
      for (const [day, value] of days) {
        const month = day === null ? 'null' : `${day}`.slice(0, 7);
        sums.set(month, (sums.get(month) ?? 0) + Number(value));
      }
      expect(sums).toEqual(
        new Map(
          months.map(([month, value]) => [month === null ? 'null' : `${month}`.slice(0, 7), Number(value)]),
        ),
      );
      return days.length > 1;
    });
  });

  test('the filter D = v is the row v of grouping by D', { timeout: 600_000 }, async () => {
    await holds(async (ask, world, tape) => {
      const query = question(tape, world);
      const { timezone: _, timeDimensions: __, ...rest } = query;
      const [measure] = query.measures;
      const dimension = query.dimensions.find((name) => name.split('.').length === 2);
      if (measure === undefined || dimension === undefined) return false;
      const filters = rowFilters(query) ?? [];
      const base = { ...rest, measures: [measure], dimensions: [], filters };
      const rows = await ask({ ...base, dimensions: [dimension] });
      if (rows === undefined) return false;
      const values: readonly QueryValue[] = rows.map(([value]) => value as QueryValue);
      for (const [value, expected] of rows as readonly [QueryValue, unknown][]) {
        const filter: QueryFilter =
          value === null
            ? { kind: 'member', member: dimension, operator: 'notSet', values: [] }
            : { kind: 'member', member: dimension, operator: 'equals', values: [value] };
        const [row] = (await ask({ ...base, filters: [...filters, filter] })) ?? [];
        expect(close(row?.[0] ?? null, expected), JSON.stringify({ ...base, filter })).toBe(true);
      }
      // Where there is no such row, counts are 0 and everything else is NULL.
      if (!values.includes(null) && /\.(m\d|count)$/.test(measure)) {
        const none: QueryFilter = { kind: 'member', member: dimension, operator: 'notSet', values: [] };
        const [row] =
          (await ask({
            ...base,
            measures: [`${measure.split('.')[0]}.count`],
            filters: [...filters, none],
          })) ?? [];
        expect(Number(row?.[0])).toBe(0);
      }
      return rows.length > 0;
    });
  });

  test('a question in SQL has the answer of the same in JSON', { timeout: 600_000 }, async () => {
    await holds(async (ask, world, tape, compile) => {
      const query = question(tape, world);
      const text = sqlForm(world, query);
      const rows = text === undefined ? undefined : await ask(query);
      if (text === undefined || rows === undefined) return false;
      const inSql = compile.sql(text);
      if (!inSql.ok)
        throw new Error(
          `${text}\n${inSql.diagnostics.map(({ code, message }) => `${code} ${message}`).join('\n')}`,
        );
      const answer = (await warehouse.query(inSql.sql)).rows;
      // SQL without ORDER BY has no order, and date_trunc of a DATE may be a TIMESTAMP.
      const normal = (some: readonly Row[]): readonly string[] =>
        some
          .map((row) =>
            JSON.stringify(
              row.map((cell) => (typeof cell === 'string' ? cell.replace(/ 00:00:00$/, '') : cell)),
            ),
          )
          .sort();
      expect(normal(answer), `${text}\n${JSON.stringify(query)}\n${inSql.sql}`).toEqual(normal(rows));
      return true;
    });
  });
});
