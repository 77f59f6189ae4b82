import { loadDefinition } from '../../src/compiler/load/yaml/load-definition.ts';
import { compileQuery } from '../../src/compiler/semantic/compile-query.ts';
import { semanticIndex } from '../../src/compiler/semantic/semantic-index.ts';
import type { Model } from '../../src/domain/model.ts';
import type { QueryFilter, SemanticQuery } from '../../src/domain/semantic-query.ts';
import type { Dialect } from '../../src/foundation/sql/dialect.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

const table = (name: string, columns: Readonly<Record<string, string>>): Model =>
  ({
    name,
    columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
    hasAllColumns: true,
    grains: [['id']],
    dialect: 'duckdb',
  }) as unknown as Model;
const MODELS = [
  table('m.orders', {
    id: 'INTEGER',
    status: 'VARCHAR',
    amount: 'INTEGER',
    day: 'DATE',
    region_id: 'INTEGER',
  }),
  table('m.items', { id: 'INTEGER', order_id: 'INTEGER', quantity: 'INTEGER' }),
  table('m.regions', { id: 'INTEGER', label: 'VARCHAR' }),
  table('m.islands', { id: 'INTEGER', label: 'VARCHAR' }),
  table('m.atolls', { id: 'INTEGER', label: 'VARCHAR' }),
];
const YAML = [
  `name: orders
depends_on: m.orders
measures:
  - {name: quantity, type: sum, expression: "{items.quantity}"}
  - {name: week, type: sum, expression: "{amount}", rolling_window: {trailing: 7 days}}
  - {name: odd, type: sum, expression: "list_sum([{amount}])"}
joins: [{name: regions, type: many_to_one, on: "{region_id} = {regions.id}"}]
`,
  'name: items\ndepends_on: m.items\njoins: [{name: orders, type: many_to_one, on: "{order_id} = {orders.id}"}]\n',
  'name: regions\ndepends_on: m.regions\n',
  'name: islands\ndepends_on: m.islands\npolicies: [{group: islanders}]\n',
  'name: atolls\ndepends_on: m.atolls\n',
];

/** Asked by somebody in no group; the code is the first problem. */
function asking(
  code: string,
  asked: Partial<SemanticQuery>,
  { dialect = 'duckdb', isOwner = false }: { readonly dialect?: Dialect; readonly isOwner?: boolean } = {},
): DiagnosticCase {
  return acting(code, async () => {
    const semanticModels = YAML.flatMap(
      (text, i) =>
        loadDefinition({ path: `models/semantics/${i}.yml`, text: `kind: semantic\n${text}` })
          .semanticModel ?? [],
    );
    const result = compileQuery(
      semanticIndex({ semanticModels, metrics: [], models: MODELS }),
      { measures: [], dimensions: [], ...asked },
      {
        dialect,
        caller: { groups: [], isUnrestricted: isOwner },
        now: 0,
        relationOf: (model) => ({ schema: 'm', name: model.slice(2) }),
      },
    );
    return result.ok ? undefined : result.diagnostics[0]?.code;
  });
}

const filter = (
  member: string,
  operator: 'equals' | 'gt' | 'inDateRange',
  ...values: readonly (string | number)[]
) => ({ kind: 'member', member, operator, values }) satisfies QueryFilter;
const COUNT = { measures: ['orders.count'] };

/** What is wrong with questions to the semantics. */
export const questionCases: readonly DiagnosticCase[] = [
  asking('semantic.empty-query', {}),
  asking('semantic.unknown-metric', { measures: ['revenue'] }, { isOwner: true }),
  asking('semantic.unreachable-member', { ...COUNT, filters: [filter('atolls.label', 'equals', 'x')] }),
  asking('semantic.fan-out-in-measure', { measures: ['orders.quantity'] }),
  asking('semantic.no-base', { dimensions: ['orders.status', 'atolls.label'] }),
  asking('semantic.fan-out-ungrouped', { ...COUNT, dimensions: ['items.quantity'], ungrouped: true }),
  asking('semantic.not-ungrouped', { measures: ['orders.count', 'items.count'], ungrouped: true }),
  asking('semantic.filter-value', { ...COUNT, filters: [filter('orders.amount', 'equals', "1' OR '1'='1")] }),
  asking('semantic.filter-values', { ...COUNT, filters: [filter('orders.amount', 'gt', 1, 2)] }),
  asking('semantic.bad-date-range', { ...COUNT, filters: [filter('orders.day', 'inDateRange', 'some day')] }),
  asking('semantic.unknown-zone', { ...COUNT, timezone: 'Middle/Earth' }),
  asking('semantic.mixed-filter', {
    ...COUNT,
    filters: [{ kind: 'or', filters: [filter('orders.count', 'gt', 1), filter('orders.amount', 'gt', 1)] }],
  }),
  asking('semantic.order-member', { ...COUNT, order: [{ member: 'orders.status', direction: 'asc' }] }),
  asking('semantic.needs-time', { measures: ['orders.week'] }),
  asking('semantic.unclear-period', {
    measures: ['orders.week'],
    dimensions: ['orders.day'],
    timeDimensions: [{ dimension: 'orders.day', granularity: 'month' }],
  }),
  asking('semantic.too-many-buckets', {
    measures: ['orders.week'],
    timeDimensions: [
      { dimension: 'orders.day', granularity: 'second', dateRange: ['0001-01-01', '9999-12-31'] },
    ],
  }),
  asking('semantic.bad-limit', { ...COUNT, limit: -1 }),
  asking('semantic.cannot-translate', { measures: ['orders.odd'] }, { dialect: 'mysql' }),
  asking('policy.no-access', { measures: ['islands.count'] }),
];
