import { describe, expect, test } from 'vitest';
import { marked } from '../../../../tests/support/marked-source.ts';
import { loadDefinition } from './load-definition.ts';
import { memberFilter, policy as policySchema } from './semantic-schema.ts';

/*
 * What is begun in a policy and left empty would count as if nothing were restricted. Each way to do so is an error with its place and
 * what to do instead; the keys are those of the schema, so that a new one without a case fails.
 */

const EU = '{member: country, operator: equals, values: [EU]}';
const text = (policies: string): string =>
  `kind: semantic\nname: people\ndepends_on: m.people\ndimensions: [id, country, email]\n${policies}\n`;
const read = (policies: string) => loadDefinition({ path: 'models/semantics/p.yml', text: text(policies) });

const keysOf = (schema: typeof policySchema | typeof memberFilter): readonly string[] => {
  const definitions: Record<string, Record<string, unknown>> = {};
  const shape = schema.json({ definitions, allowsTemplates: false });
  const { properties } = (
    definitions['filter'] !== undefined && !('properties' in shape) ? definitions['filter'] : shape
  ) as { readonly properties: Readonly<Record<string, unknown>> };
  return Object.keys(properties).sort();
};

const EMPTY = ['', 'null', '~', '[]', '{}', "''", "'  '", '[null]', '[{}]'];
/** May be empty: it says nothing about rows or columns. */
const FREE = new Set(['description']);

describe('a policy with an empty part', () => {
  test('has these keys', () => {
    expect(keysOf(policySchema)).toEqual(['description', 'filter', 'filters', 'group', 'mask']);
    expect(keysOf(memberFilter)).toEqual(['and', 'dimension', 'member', 'operator', 'or', 'values']);
  });
  const policies = keysOf(policySchema)
    .filter((key) => !FREE.has(key))
    .flatMap((key) =>
      EMPTY.map((empty) => `policies: [{${key === 'group' ? '' : 'group: eu, '}${key}: ${empty}}]`),
    );
  const rest: Readonly<Record<string, string>> = {
    member: 'operator: equals, values: [EU], ',
    dimension: 'operator: equals, values: [EU], ',
    operator: 'member: country, values: [EU], ',
    values: 'member: country, operator: equals, ',
    and: '',
    or: '',
  };
  const filters = keysOf(memberFilter).flatMap((key) =>
    // NULL is a value, and so is the empty text.
    EMPTY.filter((empty) => key !== 'values' || !["''", "'  '", '[null]'].includes(empty)).flatMap(
      (empty) => [
        `policies: [{group: eu, filter: [{${rest[key]}${key}: ${empty}}]}]`,
        `policies: [{group: eu, filter: [{and: [${EU}, {${rest[key]}${key}: ${empty}}]}]}]`,
      ],
    ),
  );
  test.each([
    ...policies,
    ...filters,
    'policies:',
    'policies: ~',
    "policies: ''",
    'policies: {}',
    'policies: [~]',
  ])('is an error with a place and a next step: %s', (policy) => {
    const { diagnostics } = read(policy);
    expect(diagnostics.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0);
    for (const { at, hint, message } of diagnostics) {
      expect(at?.start, message).toBeGreaterThanOrEqual(text('').length - 1);
      expect(at?.end, message).toBeLessThanOrEqual(text(policy).length);
      expect(hint ?? message, message).toMatch(/expected|write|name|leave|has |is a/);
    }
  });
});

describe('the place is that of the key', () => {
  test.each([
    ['policies: [{group: eu, «filter»: []}]', 'leave filter out: then the group sees all rows'],
    ['policies: [{group: eu, «filter»: }]', 'leave filter out: then the group sees all rows'],
    ['policies: [{group: eu, «mask»: }]', 'leave mask out: then the group sees all columns'],
    ['policies: [{group: eu, «mask»: []}]', 'leave mask out: then the group sees all columns'],
    ['policies: [{group: eu, filter: [{«and»: []}]}]', 'at least one filter'],
    ['policies: [{group: eu, filter: [{«or»: []}]}]', 'at least one filter'],
    ["policies: [{«group»: ''}]", "'*' for all callers"],
    ['«policies»:', 'leave the key out'],
  ])('%s', (written, hint) => {
    const { text: source, ranges } = marked(text(written));
    const { diagnostics } = loadDefinition({ path: 'models/semantics/p.yml', text: source });
    expect(diagnostics.map(({ code, at }) => [code, at?.start, at?.end])).toEqual([
      ['yaml.empty-value', ranges[0]?.start, ranges[0]?.end],
    ]);
    expect(diagnostics[0]?.hint).toContain(hint);
  });
});

describe('a part that would be dropped', () => {
  test.each([
    [`{group: eu, filter: [{and: [${EU}], or: [${EU}]}]}`, 'has and beside or'],
    [`{group: eu, filter: [{and: [${EU}], member: id, operator: set}]}`, 'has and beside member'],
    [`{group: eu, filter: [{or: [${EU}], operator: set}]}`, 'has or beside operator'],
    [
      '{group: eu, filter: [{member: country, operator: equals, values: {a: 1}}]}',
      'a list or a map among its values',
    ],
    [
      '{group: eu, filter: [{member: country, operator: equals, values: [[EU]]}]}',
      'a list or a map among its values',
    ],
    [`{group: eu, filter: [${EU}], filters: [${EU}]}`, 'filters is another spelling of filter'],
  ])('is an error: %s', (policy, words) => {
    const { diagnostics } = read(`policies: [${policy}]`);
    expect(diagnostics.map(({ message }) => message).join()).toContain(words);
    expect(diagnostics.every(({ severity, at }) => severity === 'error' && at !== undefined)).toBe(true);
  });
});

test.each(['contains', 'startsWith', 'endsWith'])(
  'a condition by an empty text, which every text has, is an error: %s',
  (operator) => {
    const filter = (values: string): string =>
      `policies: [{group: eu, filter: [{member: country, operator: ${operator}, values: ${values}}]}]`;
    for (const values of ["['']", "[EU, '']", "''"])
      expect(read(filter(values)).diagnostics.map(({ code, message }) => [code, message])).toEqual([
        ['semantic.bad-filter', `This filter has an empty text for ${operator}, which holds for every text.`],
      ]);
    expect(read(filter('[EU]')).diagnostics).toEqual([]);
  },
);

test('a mask may name its own semantic model', () => {
  const { semanticModel, diagnostics } = read('policies: [{group: eu, mask: [people.email, country]}]');
  expect(diagnostics).toEqual([]);
  expect(semanticModel?.policies[0]?.mask.map(({ value }) => value)).toEqual(['email', 'country']);
});

test.each([
  'policies: []',
  "policies: [{group: '*'}]",
  'policies: [{group: eu, mask: email}]',
  `policies: [{group: eu, filter: ${EU}}]`,
])('what is whole loads: %s', (policies) => {
  expect(read(policies).diagnostics).toEqual([]);
});
