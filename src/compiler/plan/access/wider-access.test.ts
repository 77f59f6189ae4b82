import { describe, expect, test } from 'vitest';
import { modelOf, semanticOf } from '../../../../tests/support/plan/access.ts';
import type { WiderAccess } from '../../../domain/wider-access.ts';
import { widerAccess } from './wider-access.ts';

const CUSTOMER = { id: [], country: [], email: [] };
const from = (parent: string, columns: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.keys(columns).map((column) => [column, [`${parent}.${column}`]]));
const MODELS = [
  modelOf('raw.customers', CUSTOMER),
  modelOf('raw.orders', { order_id: [], customer: [] }),
  modelOf('staging.customers', from('raw.customers', CUSTOMER)),
  modelOf('marts.customers', from('staging.customers', CUSTOMER)),
  modelOf('marts.beside', { mail: ['staging.customers.email'], n: ['raw.orders.order_id'] }),
  modelOf('report.customers', { country: ['marts.customers.country'] }),
];

const customers = (policies: string, more = ''): string =>
  `name: customers\ndepends_on: marts.customers\ndimensions: [id, country, email]\n${more}policies: ${policies}\n`;
const EU = '{member: country, operator: equals, values: [EU]}';
const EU_MASKED = `[{group: eu, filter: [${EU}], mask: [email]}]`;

const applied = (...yaml: readonly string[]) => ({ semanticModels: yaml.map(semanticOf), models: MODELS });

const told = (found: readonly WiderAccess[]): readonly string[] =>
  found.map((each) =>
    each.kind === 'access'
      ? `${each.who} ${each.name}`
      : `${each.who} ${each.name}: ${each.before.rows} -${each.before.masked} → ${each.after.rows} -${each.after.masked}${each.models.length === 0 ? '' : ` sql ${each.models}`}`,
  );

const compared = (before: string, after: string): readonly string[] =>
  told(widerAccess({ before: applied(before), after: applied(after) }));

const ALL_AROUND = 'marts.beside,marts.customers,raw.customers,report.customers,staging.customers';

describe('policies of a semantic model that stays', () => {
  test.each([
    ['the same', EU_MASKED, EU_MASKED],
    ['another order and spelling', `[{group: eu, filter: [${EU}, {member: id, operator: in, values: [2, 1]}]}]`,
      `[{filter: [{and: [{member: customers.id, operator: in, values: [1, 2]}, ${EU}]}], group: eu}]`],
    ['one more condition', `[{group: eu, filter: [${EU}]}]`, `[{group: eu, filter: [${EU}, {member: id, operator: gt, values: [5]}]}]`],
    ['one more mask', `[{group: eu, mask: [email]}]`, `[{group: eu, mask: [email, country]}]`],
    ['a group that sees no more than everyone', `[{group: '*', mask: [email]}]`, `[{group: '*', mask: [email]}, {group: x, mask: [email]}]`],
    ['a policy of a group that is gone', `[{group: eu}, {group: us}]`, '[{group: eu}]'],
    ['a first policy where there was none', '[]', '[{group: eu}]'],
  ])('%s: no one sees more', (_, before, after) => {
    expect(compared(customers(before), customers(after))).toEqual([]);
  }); // biome-ignore format: a table

  test('policies that are gone open everything to everyone, and the models around to SQL', () => {
    expect(compared(customers(EU_MASKED), customers('[]'))).toEqual([
      `* customers: none - → all - sql ${ALL_AROUND}`,
      `eu customers: country equals EU -email → all - sql ${ALL_AROUND}`,
    ]);
  });
  test('a condition that is gone shows more rows', () => {
    expect(compared(customers(EU_MASKED), customers('[{group: eu, mask: [email]}]'))).toEqual([
      'eu customers: country equals EU -email → all -email sql raw.customers,report.customers,staging.customers',
    ]);
  });
  test('another value, an or, another operator cannot be proven to show no more', () => {
    for (const filter of [
      '{member: country, operator: equals, values: [EU, UK]}',
      `{or: [${EU}, {member: id, operator: equals, values: [1]}]}`,
      '{member: country, operator: startsWith, values: [EU]}',
    ])
      expect(
        compared(
          customers(`[{group: eu, filter: [${EU}]}]`),
          customers(`[{group: eu, filter: [${filter}]}]`),
        ),
      ).toHaveLength(1);
  });
  test('a mask that is gone shows a column', () => {
    expect(compared(customers(EU_MASKED), customers(`[{group: eu, filter: [${EU}]}]`))).toEqual([
      'eu customers: country equals EU -email → country equals EU -',
    ]);
  });
  test('a group that is new sees what it did not', () => {
    expect(
      compared(
        customers(EU_MASKED),
        customers(`[{group: eu, filter: [${EU}], mask: [email]}, {group: us, filter: [${EU}]}]`),
      ),
    ).toEqual(['us customers: none - → country equals EU -']);
  });
  test('everyone is everyone: also those with a policy of their own', () => {
    expect(
      compared(
        customers(EU_MASKED),
        customers(`[{group: eu, filter: [${EU}], mask: [email]}, {group: '*'}]`),
      ),
    ).toEqual([
      `* customers: none - → all - sql ${ALL_AROUND}`,
      `eu customers: country equals EU -email → all - sql ${ALL_AROUND}`,
    ]);
  });
});

describe('what policies name', () => {
  const dimensions = (list: string) =>
    `name: customers\ndepends_on: marts.customers\ndimensions: ${list}\npolicies: ${EU_MASKED}\n`;
  const BEFORE = dimensions('[id, {name: country, expression: upper(country)}, email]');

  test('a filter over a dimension that is computed otherwise lets other rows pass', () => {
    expect(compared(BEFORE, dimensions('[id, {name: country, expression: "\'EU\'"}, email]'))).toHaveLength(
      1,
    );
    expect(
      compared(BEFORE, dimensions('[id, {name: country, expression: upper(country), title: Land}, email]')),
    ).toEqual([]);
  });
  test.each([
    [
      'a dimension',
      '[id, {name: country, expression: upper(country)}, email, {name: mail, expression: "lower(marts.customers.email)"}]',
    ],
    [
      'the column under another name',
      '[id, {name: country, expression: upper(country)}, email, {name: mail, expression: "EMAIL"}]',
    ],
  ])('%s over the masked column is not masked itself only when it names the mask', (_, list) => {
    // The name of a masked dimension is its mask in every expression.
    expect(compared(BEFORE, dimensions(list))).toEqual([]);
  });
  test('a mask over an expression does not hide the column: a new member that reads it shows it', () => {
    const masked = (more: string) =>
      `name: customers\ndepends_on: marts.customers\ndimensions: [id, {name: mail, expression: lower(email)}${more}]\npolicies: [{group: eu, mask: [mail]}]\n`;
    expect(
      compared(masked(''), masked(', {name: domain, expression: "split_part(email, \'@\', 2)"}')),
    ).toHaveLength(1);
    expect(compared(masked(''), masked(', country'))).toEqual([]);
    expect(
      compared(masked(''), `${masked('')}measures: [{name: last, type: max, expression: email}]\n`),
    ).toHaveLength(1);
    expect(
      compared(masked(''), `${masked('')}measures: [{name: last, type: max, expression: "{mail}"}]\n`),
    ).toEqual([]);
    expect(
      compared(masked(''), `${masked('')}segments: [{name: gmail, expression: "email LIKE '%gmail%'"}]\n`),
    ).toHaveLength(1);
  });
  test('what stands for a masked value may show no more than it did', () => {
    const masked = (mask: string) =>
      `name: customers\ndepends_on: marts.customers\ndimensions: [id, {name: email, mask_expression: "${mask}"}]\npolicies: [{group: eu, mask: [email]}]\n`;
    expect(compared(masked("'***'"), masked('left(email, 3)'))).toHaveLength(1);
    expect(compared(masked('left(email, 3)'), masked("'***'"))).toEqual([]);
  });
  test('a dimension that is gone takes its mask with it', () => {
    expect(
      compared(
        BEFORE,
        `name: customers\ndepends_on: marts.customers\ndimensions: [id, {name: country, expression: upper(country)}]\npolicies: [{group: eu, filter: [${EU}]}]\n`,
      ),
    ).toEqual([]);
  });
});

describe('semantic models that come and go', () => {
  const BEFORE = customers(EU_MASKED);
  const other = (name: string, over: string, dimensions: string, more = ''): string =>
    `name: ${name}\ndepends_on: ${over}\ndimensions: ${dimensions}\n${more}`;

  test.each([
    ['the model itself', 'marts.customers', '[email]', 2],
    ['what feeds it', 'raw.customers', '[country]', 2],
    ['what is derived from it', 'report.customers', '[country]', 2],
    ['a column beside it that flows into it', 'marts.beside', '[mail]', 2],
    ['a column beside it that does not', 'marts.beside', '[n]', 0],
    ['other data', 'raw.orders', '[order_id]', 0],
  ])('a new one over %s', (_, over, list, count) => {
    const after = applied(BEFORE, other('more', over, list));
    const found = widerAccess({ before: applied(BEFORE), after });
    expect(told(found).filter((line) => line.includes('more'))).toHaveLength(count);
    expect(found).toHaveLength(count);
  });
  test('a new one with masks alone to protect: only a column that carries a masked one counts', () => {
    const masked = customers("[{group: '*', mask: [email]}]");
    const added = (over: string, list: string) =>
      told(widerAccess({ before: applied(masked), after: applied(masked, other('more', over, list)) }));
    expect(added('raw.customers', '[id, country]')).toEqual([]);
    expect(added('raw.customers', '[id, email]')).toEqual(['* more: none - → all -']);
    expect(added('marts.customers', '[country]')).toEqual([]);
  });
  test('a new one with policies of its own decides about its model from then on', () => {
    const after = applied(BEFORE, other('raw', 'raw.customers', '[id]', 'policies: [{group: support}]\n'));
    expect(told(widerAccess({ before: applied(BEFORE), after }))).toEqual([
      '* customers: none - → none - sql raw.customers',
      'eu customers: country equals EU -email → country equals EU -email sql raw.customers',
      'support raw: none - → all -',
    ]);
  });
  test('one that is gone protects nothing any more', () => {
    expect(told(widerAccess({ before: applied(BEFORE), after: applied() }))).toEqual([
      `* customers: none - → none - sql ${ALL_AROUND}`,
      `eu customers: country equals EU -email → none - sql ${ALL_AROUND}`,
    ]);
  });
  test('a model that feeds it no more is protected no more', () => {
    const models = MODELS.map((model) =>
      model.name === 'staging.customers' ? modelOf('staging.customers', CUSTOMER) : model,
    );
    const after = { ...applied(BEFORE), models };
    expect(told(widerAccess({ before: applied(BEFORE), after }))).toEqual([
      '* customers: none - → none - sql raw.customers',
      'eu customers: country equals EU -email → country equals EU -email sql raw.customers',
    ]);
  });
});

describe('an environment beside the default one', () => {
  const strict = applied(customers(EU_MASKED));
  const open = applied(customers('[]'));
  test('that is new is not wider: the policies of both hold', () => {
    expect(widerAccess({ after: open, beside: strict })).toEqual([]);
    expect(widerAccess({ after: strict, beside: strict })).toEqual([]);
  });
  test('that loses policies is not wider while the default one has them', () => {
    expect(widerAccess({ before: strict, after: open, beside: strict })).toEqual([]);
    expect(widerAccess({ before: strict, after: open, beside: open })).toHaveLength(2);
    expect(widerAccess({ before: strict, after: open })).toHaveLength(2);
  });
  test('is wider by a semantic model that shows what the default one protects', () => {
    const after = applied(
      customers(EU_MASKED),
      'name: more\ndepends_on: raw.customers\ndimensions: [email]\n',
    );
    expect(told(widerAccess({ after, beside: strict }))).toEqual([
      '* more: none - → all -',
      'eu more: none - → all -',
    ]);
  });
  test('that is the first one has nothing to be wider than', () => {
    expect(widerAccess({ after: open })).toEqual([]);
  });
});
