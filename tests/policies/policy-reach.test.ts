/** A policy protects data, not a name: what may be read as a table of models above, below and beside a protected one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../src/domain/failure.ts';
import type { Identity } from '../../src/domain/principal.ts';
import type { Run } from '../../src/domain/run.ts';
import type { Question } from '../../src/operations/ask/submission.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { transpileQuestion } from '../../src/operations/ask/transpile-question.ts';
import { activityView } from '../../src/operations/catalog/activity-view.ts';
import { ACCESS_CONFIG, GUARDED_FILES } from '../support/guarded-project.ts';
import { ADMIN, identityOf, type ServedProduct, servedProduct } from '../support/served-product.ts';

let served: ServedProduct;
beforeAll(async () => {
  served = await servedProduct({ 'config.yaml': ACCESS_CONFIG, ...GUARDED_FILES });
});
afterAll(() => served.close());

const SLUG = 'default-guarded';
const person = (groups: readonly string[], more: Partial<Identity> = {}): Identity =>
  identityOf({ groups, productRoles: { [SLUG]: 'consumer' }, ...more });
const EU = person(['eu']);
const MASKED = person(['masked']);
const GROUPLESS = person([]);
const OPEN = person(['admin']);

const sql = (text: string): Question => ({ kind: 'sql', sql: text });

/** The rows, or the code by which it was refused. */
async function answerOf(asker: Identity, question: Question, environment?: string): Promise<unknown> {
  try {
    const answer = await submitStatement(served.product, asker, { question, waitMs: 30_000, environment });
    if (!answer.ok) return answer.diagnostics.map(({ code }) => code).join(' ');
    if (answer.page === undefined) return answer.statement.error;
    return JSON.parse(answer.page.rows);
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

async function readable(asker: Identity): Promise<readonly string[]> {
  const models = ['raw.people', 'staging.people', 'marts.people', 'marts.report', 'side.spend', 'side.ages', 'side.mails', 'side.ids', 'far.days', 'marts.totals']; // biome-ignore format: a list
  const open: string[] = [];
  for (const model of models) {
    const answer = await answerOf(asker, sql(`SELECT * FROM ${model}`));
    if (Array.isArray(answer)) open.push(model);
    else expect(answer, model).toBe('policy.model-restricted');
  }
  return open;
}

const EVERY = ['raw.people', 'staging.people', 'marts.people', 'marts.report', 'side.spend', 'side.ages', 'side.mails', 'side.ids', 'far.days', 'marts.totals']; // biome-ignore format: a list

describe('models as tables', () => {
  test('a row filter closes what feeds its model, what derives from it, and what carries its columns', async () => {
    // side.ages carries a column that never reaches marts.people; marts.totals has policies of its own.
    expect(await readable(EU)).toEqual(['side.ages', 'far.days', 'marts.totals']);
  });
  test('so does a semantic model that names none of the caller', async () => {
    expect(await readable(GROUPLESS)).toEqual(['side.ages', 'far.days', 'marts.totals']);
  });
  test('a mask closes its model, and of others what carries the masked column', async () => {
    expect(await readable(MASKED)).toEqual(['marts.report', 'side.spend', 'side.ages', 'side.ids', 'far.days', 'marts.totals']); // biome-ignore format: a list
  });
  test('nothing is closed to whom no policy restricts, nor to whom none applies', async () => {
    for (const asker of [OPEN, ADMIN, person([], { isPlatformAdmin: true }), person(['auditors'])])
      expect(await readable(asker)).toEqual(EVERY);
  });
  test('no role is exempt: not editor, not owner, not administrator of a tenant', async () => {
    for (const role of ['editor', 'owner'] as const)
      expect(await readable(person(['eu'], { productRoles: { [SLUG]: role } }))).toEqual(await readable(EU));
    expect(await readable(person(['eu'], { tenantRole: 'admin' }))).toEqual(await readable(EU));
  });
  test('access opens a model by name, and no other', async () => {
    expect(await readable(person(['eu', 'support']))).toEqual(['raw.people', ...(await readable(EU))]);
    expect(await readable(person(['masked'], { name: 'support' }))).toContain('raw.people');
  });
  test('a token without query:models reads none, of whatever owner', async () => {
    for (const asker of [OPEN, person([], { isPlatformAdmin: true })])
      expect(await answerOf({ ...asker, scopes: ['query:read'] }, sql('SELECT * FROM far.days'))).toBe(
        'policy.no-access',
      );
  });
  test('a rollup is read by none to whom policies apply', async () => {
    const asked = sql('SELECT * FROM rollups.pay__all');
    expect(await answerOf(ADMIN, asked)).toHaveLength(1);
    for (const asker of [OPEN, EU, person(['eu'], { productRoles: { [SLUG]: 'owner' } })])
      expect(await answerOf(asker, asked)).toBe('policy.no-access');
  });
});

describe('columns', () => {
  const may = ['SELECT id, country FROM raw.people ORDER BY id LIMIT 1', 'SELECT count(*) FROM raw.people', 'SELECT p.id, p.country FROM raw.people AS p ORDER BY 1 LIMIT 1', 'WITH p AS (SELECT id, country FROM raw.people) SELECT * FROM p ORDER BY 1 LIMIT 1', 'SELECT a FROM raw.people AS t(a, b) ORDER BY 1 LIMIT 1', 'SELECT raw.people.id FROM raw.people ORDER BY raw.people.id LIMIT 1']; // biome-ignore format: a list
  test.each(may)('that carry no masked one are read: %s', async (text) => {
    expect(await answerOf(MASKED, sql(text))).toHaveLength(1);
  });
  const mayNot = ['SELECT email FROM raw.people', 'SELECT * FROM raw.people', 'SELECT * EXCLUDE (email) FROM raw.people', "SELECT id FROM raw.people WHERE email LIKE 'a%'", 'SELECT id FROM raw.people ORDER BY email', 'SELECT count(DISTINCT email) FROM raw.people', 'FROM raw.people', 'SELECT people FROM raw.people', 'SELECT hash(p) FROM raw.people p', "SELECT COLUMNS('e.*') FROM raw.people", "SELECT id FROM raw.people WHERE COLUMNS('e.*') IS NOT NULL", 'SELECT b FROM raw.people AS t(a, b)', 'SELECT raw.people.email FROM raw.people', 'SELECT raw.people FROM raw.people', 'SELECT id FROM raw.people JOIN (SELECT email AS mail FROM raw.people) m ON true', 'SELECT (SELECT max(email) FROM raw.people) AS m', 'SELECT id FROM raw.people NATURAL JOIN staging.people', "PIVOT raw.people ON email IN ('ann@x.eu') USING count(*)", 'UNPIVOT raw.people ON email INTO NAME n VALUE v']; // biome-ignore format: a list
  test.each(mayNot)('a text that reads a masked one, or all, is refused: %s', async (text) => {
    expect(await answerOf(MASKED, sql(text))).toBe('policy.model-restricted');
  });
  test('what is not read is not there for the engine either', async () => {
    const question = sql('SELECT id FROM raw.people ORDER BY id');
    expect(await answerOf(MASKED, question)).toEqual([[1], [2], [3]]);
    const made = await transpileQuestion(served.product, MASKED, { question });
    expect(made.ok && made.sql).toContain('NULL AS "email"');
  });
  test('the refusal names what may be asked instead, to whom may know it', async () => {
    const hintOf = async (asker: Identity, model: string): Promise<string | undefined> => {
      const asked = submitStatement(served.product, asker, { question: sql(`SELECT * FROM ${model}`) });
      return asked.then(
        () => undefined,
        (error: unknown) => (error as Failure).diagnostic.hint,
      );
    };
    expect(await hintOf(EU, 'raw.people')).toBe('ask people instead');
    expect(await hintOf(MASKED, 'raw.people')).toBe(
      'ask people instead, or read no other columns than id, country, spend, born',
    );
    expect(await hintOf(GROUPLESS, 'raw.people')).not.toContain('people');
  });
});

test('semantic SQL decides alike about the models beside', async () => {
  const beside = (column: string): Question => ({
    kind: 'semantic-sql',
    sql: `WITH t AS (SELECT spend FROM totals) SELECT t.spend, p.${column} FROM t CROSS JOIN raw.people AS p ORDER BY 2 LIMIT 1`,
  });
  expect(await answerOf(MASKED, beside('id'))).toEqual([[60, 1]]);
  expect(await answerOf(MASKED, beside('email'))).toBe('policy.model-restricted');
  expect(await answerOf(EU, beside('id'))).toBe('policy.model-restricted');
  expect(await answerOf(EU, beside('nothing'))).toBe('policy.model-restricted');
});

test('words that quote rows follow the rows: also those of a model that may be read, made of one that may not', async () => {
  const error = { code: 'engine.statement-failed', severity: 'error', message: "no 'ann@x.eu'" } as const;
  const run = (...names: readonly string[]): Run => ({
    id: 'r_1',
    kind: 'run',
    environment: 'prod',
    who: 'a test',
    // Of what is shown by now.
    startedAt: served.product.world.clock.now(),
    executionTime: 0,
    status: 'failed',
    models: names.map((name) => ({ name, status: 'failed', intervals: [], rows: 0, ms: 0, audits: [{ name: 'a', status: 'failed', rows: 1, sample: 'x' }], error }) as unknown as Run['models'][number]), // biome-ignore format: long
  });
  const told = async (asker: Identity): Promise<readonly string[]> => {
    const failed = run('raw.people', 'marts.report', 'side.ages', 'side.spend', 'far.days', 'marts.pay');
    const view = await activityView(served.product, asker, { runs: [failed] });
    const { models } = view.run(failed);
    return models.flatMap(({ name, error: shown, audits }) => {
      expect(audits[0]?.sample !== undefined).toBe(shown?.message === error.message);
      return shown?.message === error.message ? [name] : [];
    });
  };
  expect(await told(EU)).toEqual(['far.days']);
  // side.ages and side.spend are made of raw.people, whose e-mails an error of theirs may quote.
  expect(await told(MASKED)).toEqual(['far.days']);
  expect(await told(person(['admin', 'payers']))).toHaveLength(6);
  expect(await told(person(['eu'], { productRoles: { [SLUG]: 'owner' } }))).toEqual(['far.days']);
});
