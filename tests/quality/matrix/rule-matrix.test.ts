/**
 * Each kind of rule in each form: a table that passes, one that fails, that warns, with NULLs, without rows, of another type, and
 * everything that keeps a rule from being evaluated. A kind, metric, method or option without cases fails here.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPTIONS_OF } from '../../../src/compiler/load/yaml/dq-schema.ts';
import { loadDefinition } from '../../../src/compiler/load/yaml/load-definition.ts';
import type { DecidedCheck, QueryAnswers } from '../../../src/compiler/quality/check-plan.ts';
import { DQ_METRICS, type DqAssertion } from '../../../src/domain/dq-pack.ts';
import { NOW, PACKINGS, packOf, type QualityWorld, qualityWorld, type RunOptions } from '../quality-world.ts';
import { type FormCase, RULE_FORMS, type RuleForm } from './rule-forms.ts';

const FORMS = Object.entries(RULE_FORMS).flatMap(([kind, forms]) =>
  forms.map((form) => ({ kind: kind as DqAssertion['kind'], form, name: `${kind}: ${form.form}` })),
);
const DAY = 86_400_000;

let world: QualityWorld;
/** Tables of the form that is at work, by what is in them. */
const made = new Map<string, string>();
let tables = 0;
beforeAll(async () => {
  world = await qualityWorld();
  await world.execute(
    'CREATE TABLE marts.target AS SELECT * FROM (VALUES (1), (2), (3), (NULL)) AS v(t)',
    'CREATE TABLE marts.twin AS SELECT * FROM range(2) AS r(i)',
  );
});

/** A table of a case; its model. */
async function tableOf(
  { type: usual }: RuleForm,
  { cells, column = 'x', type = usual }: FormCase,
): Promise<string> {
  const key = JSON.stringify([column, type, cells]);
  const known = made.get(key);
  if (known !== undefined) return known;
  const model = `marts.c${tables++}`;
  const rows = cells.map((cell, id) => `(${id}, ${cell}, 'g')`).join(', ');
  await world.execute(
    `CREATE TABLE ${model} (id BIGINT, ${column} ${type}, k VARCHAR)`,
    ...(rows === '' ? [] : [`INSERT INTO ${model} VALUES ${rows}`]),
  );
  made.set(key, model);
  return model;
}

/** The rule as a pack has it, with options of its own. */
function written(
  { rule, options = [], inside }: RuleForm,
  model: string,
  more: readonly string[] = [],
): string {
  const lines = ['name: r', ...more];
  const own = options.map((line) => line.replaceAll('%', model));
  if (inside === undefined)
    return [`- ${rule}:`, ...[...own, ...lines].map((line) => `    ${line}`)].join('\n');
  const [outer, inner] = inside.startsWith('group by') ? [lines, own] : [[], [...own, ...lines]];
  const block =
    inner.length === 0 ? [`    ${rule}: {}`] : [`    ${rule}:`, ...inner.map((line) => `      ${line}`)];
  return [`- ${inside}:`, ...block, ...outer.map((line) => `    ${line}`)].join('\n');
}

function memoryOf({ before = [], shares, inside }: RuleForm): Partial<RunOptions> {
  const check = inside?.startsWith('for each') === true ? 'pack/r/x' : 'pack/r';
  const values = before.map((value, index) => ({
    ...{
      at: NOW - (before.length - index) * DAY,
      value,
      outcome: 'pass' as const,
      dataVersion: String(index),
    },
  }));
  return {
    history: new Map([[check, values]]),
    ...(shares === undefined ? {} : { shares: new Map([[check, shares]]) }),
  };
}

async function checked(
  form: RuleForm,
  model: string,
  { more = [], ...options }: Partial<RunOptions> & { readonly more?: readonly string[] } = {},
): Promise<DecidedCheck> {
  const found = await world.run(written(form, model, more), { model, ...memoryOf(form), ...options });
  expect(found).toHaveLength(1);
  return found[0] as DecidedCheck;
}

const rounded = ({ value }: Pick<DecidedCheck, 'value'>): number | null | undefined =>
  typeof value === 'number' ? Number(value.toPrecision(9)) : value;
const said = (found: DecidedCheck, { value }: FormCase) => ({
  outcome: found.outcome,
  ...(value === undefined ? {} : { value: rounded(found) }),
});
const wanted = ({ outcome, value }: FormCase) => ({
  outcome,
  ...(value === undefined ? {} : { value: rounded({ value }) }),
});
const isUnevaluated = ({ outcome }: Pick<FormCase, 'outcome'>): boolean =>
  outcome === 'error' || outcome === 'not_evaluated';

describe('the matrix', () => {
  const kindsOf = (assertion: DqAssertion): readonly string[] => {
    if (assertion.kind === 'for-each-column') return [assertion.kind, ...kindsOf(assertion.rule)];
    if (assertion.kind === 'group-by') return [assertion.kind, ...assertion.rules.flatMap(kindsOf)];
    return [assertion.kind];
  };

  test('has every kind of the reference', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/quality-rules.md'), 'utf8');
    const kinds = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].flatMap(([, text = '']) => {
      const whole = text.startsWith('kind:')
        ? text
        : `kind: dq\nname: pack\ndepends_on: marts.orders\n${text}`;
      const { dqPack } = loadDefinition({ path: 'dq/pack.yml', text: whole });
      return (dqPack?.rules ?? []).flatMap(({ assertion }) => kindsOf(assertion));
    });
    expect([...new Set(kinds)].sort()).toEqual(Object.keys(RULE_FORMS).sort());
  });

  test('has every metric, alone and by group', () => {
    expect(RULE_FORMS.metric.map(({ form }) => form).sort()).toEqual([...DQ_METRICS].sort());
    const grouped = RULE_FORMS['group-by'].map(({ form }) => form.replace(/ by group$/, ''));
    expect([...DQ_METRICS].filter((name) => !grouped.includes(name))).toEqual([]);
  });

  test('has every option of kinds that are not metrics', () => {
    for (const [kind, options] of Object.entries(OPTIONS_OF)) {
      const forms = RULE_FORMS[kind as DqAssertion['kind']] as readonly RuleForm[] | undefined;
      if (forms === undefined) continue;
      const text = forms.map(({ rule, options: own = [] }) => `${rule} ${own.join(' ')}`).join('\n');
      // These say how much is needed or in which words the same is said, and have tests of their own.
      const others = ['sensitivity', 'season', 'method', 'threshold', 'against'];
      expect({
        kind,
        lack: options.filter((name) => !others.includes(name) && !text.includes(`${name}:`)),
      }).toEqual({ kind, lack: [] });
    }
  });

  test.each(FORMS)('has each sort of case of $name, and they are of that kind', ({ kind, form }) => {
    const [assertion] = packOf(written(form, 'marts.orders')).rules.map((rule) => rule.assertion);
    expect(assertion?.kind).toBe(kind);
    const { passes, fails, nulls, empty, wrong, type } = form;
    expect([passes.outcome, fails.outcome]).toEqual(['pass', 'fail']);
    expect(nulls.some(({ cells }) => cells.includes('NULL'))).toBe(true);
    expect(empty.cells).toEqual([]);
    expect(wrong.some((each) => each.type !== undefined && each.type !== type)).toBe(true);
  });
});

describe.each(FORMS)('$name', ({ kind, form }) => {
  const { passes, fails, nulls, empty, wrong } = form;
  const cases = [passes, fails, ...nulls, empty, ...wrong];
  afterAll(async () => {
    // Planning reads the columns of all tables: there are never many.
    await world.execute(...[...made.values()].map((model) => `DROP TABLE ${model}`));
    made.clear();
  });

  test.each(PACKINGS)('passes, fails, hits NULLs, no rows and other types, packed by %s', async (packing) => {
    for (const each of cases) {
      const found = await checked(form, await tableOf(form, each), { packing });
      const about = `${each.type ?? form.type} ${each.cells.join(', ')}: ${found.reason ?? ''}`;
      expect({ about, ...said(found, each) }).toEqual({ about, ...wanted(each) });
      if (isUnevaluated(each))
        expect({ about, reason: found.reason }).toEqual({ about, reason: expect.stringMatching(/\w/) });
    }
  });

  test('warns by its severity, and by a condition of its own', async () => {
    const model = await tableOf(form, fails);
    const found = await checked(form, model, { more: ['severity: warning'] });
    expect(said(found, fails)).toEqual({ ...wanted(fails), outcome: 'warn' });
    // Of an anomaly conditions are about its score, of freshness about an age.
    const unit = form.rule.includes('freshness') ? 'h' : '';
    const always = [`warn: when > -1000000${unit}`];
    const never = `fail: when > 1000000${unit}`;
    const good = await tableOf(form, passes);
    expect((await checked(form, good, { more: always })).outcome).toBe('warn');
    expect((await checked(form, model, { more: [...always, never] })).outcome).toBe('warn');
    expect((await checked(form, good, { more: [`fail: when > -1000000${unit}`] })).outcome).toBe('fail');
  });

  test('does not pass where it cannot be evaluated', async () => {
    const model = await tableOf(form, passes);
    const rules = written(form, model);
    const options = { model, ...memoryOf(form) };
    const gone = await checked(form, 'marts.absent');
    expect({ outcome: gone.outcome, reason: gone.reason }).toEqual({
      outcome: 'not_evaluated',
      reason: expect.stringContaining('marts.absent'),
    });

    const isFiltered = kind !== 'schema' && form.form !== 'fail_query';
    const more = ['filter: nosuch > 1'];
    if (isFiltered) expect((await checked(form, model, { more })).outcome).toBe('error');
    // Columns and whole queries have no rows to filter: to say so is refused, not passed over.
    else expect(() => packOf(written(form, model, more))).toThrow('filter has no meaning');

    const plan = await world.plan(rules, options);
    const refused: QueryAnswers = new Map(
      plan.queries
        .flatMap(({ id, instead = [] }) => [id, ...instead.map((each) => each.id)])
        .map((id) => [id, { code: 'engine.refused', message: 'no such luck' }]),
    );
    const asks = plan.queries.length > 0;
    expect(asks).toBe(kind !== 'schema');
    if (!asks) return;
    expect(plan.decide(refused)).toMatchObject([
      { outcome: 'error', reason: expect.stringContaining('no such luck') },
    ]);
    expect(plan.decide(new Map())).toMatchObject([{ outcome: 'error', reason: expect.stringMatching(/\w/) }]);
    const empty = new Map(plan.queries.map(({ id }) => [id, { columns: [], rows: [] }]));
    expect(plan.decide(empty).map(({ outcome }) => outcome)).not.toContain('pass');
  });

  test('does not pass without the column that it is about', async () => {
    if (/row_count/.test(form.rule) || kind === 'schema') return;
    const { outcome, reason } = await checked(form, await tableOf(form, { ...passes, column: 'other' }));
    expect({ outcome, reason }).toEqual({
      outcome: kind === 'for-each-column' ? 'not_evaluated' : 'error',
      reason: expect.stringMatching(/\bx\b|no column/),
    });
  });

  test('does not pass before there is something to compare with', async () => {
    if (form.before === undefined && form.shares === undefined) return;
    const found = await checked(form, await tableOf(form, passes), { history: new Map(), shares: new Map() });
    expect(found).toMatchObject({
      outcome: 'not_evaluated',
      isLearning: true,
      reason: expect.stringMatching(/\w/),
    });
  });

  test('does not pass by group where its whole table fails', async () => {
    if (form.inside !== undefined) return;
    const model = await tableOf(form, fails);
    const rules = written({ ...form, inside: 'group by k' }, model);
    let text = '';
    try {
      packOf(rules, { model });
    } catch (error) {
      text = String(error);
    }
    if (text !== '') return expect(text).toMatch(/group/);
    const found = await world.run(rules, { model, ...memoryOf(form) });
    expect(found.map(({ outcome }) => outcome)).not.toContain('pass');
  });
});
