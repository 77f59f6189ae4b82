import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadDefinition } from '../../compiler/load/yaml/load-definition.ts';
import { compileSemantic } from '../../compiler/semantic/compile-semantic.ts';
import type { Model } from '../../domain/model.ts';
import type { Caller, SemanticQuery } from '../../domain/semantic-query.ts';
import type { Semantics } from '../../domain/semantics.ts';
import { BoundedCache } from '../../foundation/bounded-cache.ts';
import type { CompiledBefore } from '../product-caches.ts';
import { compileRemembered } from './compile-remembered.ts';

const PLACE = { naming: { environment: 'prod', suffixTarget: 'schema' }, dialect: 'duckdb' } as const;
const MARCH = Date.UTC(2025, 2, 15);
const JUNE = Date.UTC(2025, 5, 15);

const YAML = `kind: semantic
name: orders
depends_on: m.orders
dimensions: [status, ordered_on]
measures: [{name: revenue, type: sum, expression: "{amount}"}]
segments: [{name: small, expression: "{amount} < 15"}]
policies:
  - {group: all}
  - {group: open, filter: [{member: status, operator: equals, values: [open]}]}
  - {group: lately, filter: [{member: ordered_on, operator: inDateRange, values: [last month]}]}
`;

function semantics(): Semantics {
  const read = loadDefinition({ path: 'models/semantics/orders.yml', text: YAML });
  if (read.semanticModel === undefined) throw new Error(JSON.stringify(read.diagnostics));
  const columns = [
    { name: 'status', type: 'VARCHAR' },
    { name: 'ordered_on', type: 'DATE' },
    { name: 'amount', type: 'DECIMAL(10, 2)' },
  ];
  const model = { name: 'm.orders', columns, hasAllColumns: true, grains: [], dialect: 'duckdb' };
  return {
    semanticModels: [read.semanticModel],
    metrics: [],
    models: [{ ...model, kind: { kind: 'full' } } as unknown as Model],
  };
}

const newCache = () => new BoundedCache<string, CompiledBefore>(100);

const PLAIN: SemanticQuery = { measures: ['orders.revenue'], dimensions: ['orders.status'] };
const caller = (...groups: readonly string[]): Caller => ({ groups, isUnrestricted: false });

test('a question that was asked before is not compiled again', () => {
  const known = { semantics: semantics(), compiled: newCache() };
  const first = compileRemembered(known, { query: PLAIN, caller: caller('all'), now: MARCH }, PLACE);
  const again = { query: { ...PLAIN }, caller: caller('all'), now: JUNE };
  expect(first.ok).toBe(true);
  expect(compileRemembered(known, again, PLACE)).toBe(first);
});

test('what was promoted since, other groups, other environments and other limits are other questions', () => {
  const known = { semantics: semantics(), compiled: newCache() };
  const request = { query: PLAIN, caller: caller('all'), now: MARCH };
  const first = compileRemembered(known, request, PLACE);
  const dev = { ...PLACE, naming: { environment: 'dev', suffixTarget: 'schema' } } as const;
  const others = [
    compileRemembered({ ...known, semantics: semantics() }, request, PLACE),
    compileRemembered(known, { ...request, caller: caller('open') }, PLACE),
    compileRemembered(known, { ...request, isUnlimited: true }, PLACE),
    compileRemembered(known, request, dev),
  ];
  for (const other of others) expect(other).not.toBe(first);
  const texts = [first, ...others.slice(1)].map((result) => (result.ok ? result.compiled.sql : ''));
  expect(new Set(texts).size).toBe(texts.length);
});

test.each<[string, SemanticQuery, Caller]>([
  [
    'a range of the question',
    {
      ...PLAIN,
      timeDimensions: [{ dimension: 'orders.ordered_on', granularity: 'month', dateRange: 'last month' }],
    },
    caller('all'),
  ],
  [
    'a filter of the question',
    {
      ...PLAIN,
      filters: [
        { kind: 'member', member: 'orders.ordered_on', operator: 'inDateRange', values: ['last month'] },
      ],
    },
    caller('all'),
  ],
  ['a policy of the caller', PLAIN, caller('lately')],
])('what counts from the present is compiled each time: %s', (_, query, who) => {
  const known = { semantics: semantics(), compiled: newCache() };
  const texts = [MARCH, JUNE].map((now) => {
    const result = compileRemembered(known, { query, caller: who, now }, PLACE);
    return result.ok ? result.compiled.sql : '';
  });
  expect(texts[0]).toContain('2025-02-01');
  expect(texts[1]).toContain('2025-05-01');
});

test('answers are those of the compiler, whatever was asked before, by whom and when', () => {
  const known = { semantics: semantics(), compiled: newCache() };
  const filter = fc.constantFrom(
    { kind: 'member', member: 'orders.status', operator: 'equals', values: ['open'] },
    { kind: 'member', member: 'orders.revenue', operator: 'gt', values: [10] },
    { kind: 'member', member: 'orders.ordered_on', operator: 'beforeDate', values: ['today'] },
    { kind: 'member', member: 'orders.ordered_on', operator: 'gt', values: ['2025-01-01'] },
  ) as fc.Arbitrary<NonNullable<SemanticQuery['filters']>[number]>;
  const query: fc.Arbitrary<SemanticQuery> = fc.record({
    measures: fc.subarray(['orders.revenue', 'orders.count']),
    dimensions: fc.subarray(['orders.status', 'orders.ordered_on.month', 'orders.unknown']),
    segments: fc.subarray(['orders.small']),
    filters: fc.array(filter, { maxLength: 2 }),
    timeDimensions: fc.subarray([{ dimension: 'orders.ordered_on', dateRange: 'this year' }]),
    limit: fc.constantFrom(1, 2),
  });
  fc.assert(
    fc.property(
      query,
      fc.constantFrom(caller('all'), caller('open'), caller('lately'), caller(), caller('open', 'lately')),
      fc.constantFrom(MARCH, JUNE, Date.UTC(2026, 0, 1)),
      (asked, who, now) => {
        const request = { query: asked, caller: who, now };
        const [remembered, fresh] = [
          compileRemembered(known, request, PLACE),
          compileSemantic(known.semantics, request, PLACE),
        ];
        expect(JSON.parse(JSON.stringify(remembered))).toEqual(JSON.parse(JSON.stringify(fresh)));
      },
    ),
    { numRuns: 600 },
  );
});
