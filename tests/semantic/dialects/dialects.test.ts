import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Dialect, QUESTION_DIALECTS } from '../../../src/foundation/sql/dialect.ts';
import { semanticProject, type World } from '../../support/semantic-project.ts';
import { type PostgresAnswer, postgresPrograms, startPostgres, type TestPostgres } from './postgres.ts';
import { QUESTIONS, type Question } from './questions.ts';
import { SHOP_SEMANTICS, SHOP_TABLES } from './shop.ts';

let world: World;
beforeAll(async () => {
  world = await semanticProject(SHOP_TABLES, SHOP_SEMANTICS);
});

function sqlOf({ query, caller }: Question, dialect: Dialect): string {
  return world.sql(query, { dialect, ...(caller === undefined ? {} : { caller }) }).sql;
}

describe('questions in the words of a dialect', () => {
  test.each(QUESTION_DIALECTS)('%s is told all of them', async (dialect) => {
    const said = QUESTIONS.map((question) => ({ question, sql: attempt(question, dialect) }));
    expect(said.filter(({ sql }) => sql.startsWith('-- refused')).map(({ question }) => question)).toEqual(
      QUESTIONS.filter(({ refusedBy }) => refusedBy?.includes(dialect)),
    );
    const texts = said.map(({ question, sql }) => `-- ${question.name}\n${sql};\n`);
    await expect(texts.join('\n')).toMatchFileSnapshot(`./goldens/${dialect}.sql`);
  });
});

function attempt(question: Question, dialect: Dialect): string {
  try {
    return sqlOf(question, dialect);
  } catch (error) {
    return `-- refused: ${error instanceof Error ? error.message : error}`;
  }
}

describe('a real PostgreSQL', () => {
  const programs = postgresPrograms();
  if (programs === undefined) {
    test.skip('is not asked: it is not installed', () => {});
    return;
  }
  let postgres: TestPostgres;
  let answers: ReadonlyMap<string, PostgresAnswer>;
  beforeAll(() => {
    postgres = startPostgres(programs);
    const tables = Object.entries(SHOP_TABLES).map(([name, sql]) => `CREATE TABLE ${name} AS ${sql}`);
    for (const made of postgres.ask(['CREATE SCHEMA m', ...tables])) expect(made.ok).toBe(true);
    const texts = QUESTIONS.map((question) => attempt(question, 'postgres'));
    const given = postgres.ask(texts);
    answers = new Map(QUESTIONS.map(({ name }, i) => [name, given[i] as PostgresAnswer]));
  });
  afterAll(() => postgres?.stop());

  test.each(QUESTIONS)('gives the rows of DuckDB: $name', async (question) => {
    const { query, caller } = question;
    const expected = await world.rows(query, caller === undefined ? {} : { caller });
    const given = answers.get(question.name);
    expect(given).toMatchObject({ ok: true });
    expect(given?.ok === true ? given.rows.map((row) => row.map(plain)) : []).toEqual(
      expected.map((row) => row.map(plain)),
    );
    expect(expected.length).toBeGreaterThan(0);
  });
});

/** One text for a cell of both engines: numbers to 12 digits, times without zero fractions. */
function plain(cell: unknown): string | null {
  if (cell === null || cell === undefined) return null;
  const text = String(cell);
  if (text === 't' || text === 'f') return text === 't' ? 'true' : 'false';
  if (/^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text)) return String(Number(Number(text).toPrecision(12)));
  return text.replace(/^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.0+)?$/, '$1 $2');
}
