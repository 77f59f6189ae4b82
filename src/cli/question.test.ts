import { expect, test } from 'vitest';
import { Failure } from '../domain/failure.ts';
import { COMMANDS } from './command-table.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { parseArguments } from './parse-arguments.ts';
import { questionOf } from './question.ts';

function ask(...args: readonly string[]): unknown {
  const line = parseArguments(['query', ...args], { commands: COMMANDS, globalOptions: GLOBAL_OPTIONS });
  if (!line.ok) throw new Error(line.problem.message);
  return questionOf(line);
}

function refusedBy(...args: readonly string[]): string {
  try {
    ask(...args);
    return 'nothing';
  } catch (error) {
    return error instanceof Failure ? `${error.code} ${error.message}` : String(error);
  }
}

test('lists are cut at commas and may be repeated', () =>
  expect(
    ask(
      '--measures',
      'o.revenue, o.count',
      '--measures',
      'o.buyers',
      '--dimensions',
      'o.region',
      '--segments',
      'o.weekend',
    ),
  ).toEqual({
    measures: ['o.revenue', 'o.count', 'o.buyers'],
    dimensions: ['o.region'],
    segments: ['o.weekend'],
  }));

test.each([
  ['o.day:month', { dimension: 'o.day', granularity: 'month' }],
  ['o.day:month:last 6 months', { dimension: 'o.day', granularity: 'month', dateRange: 'last 6 months' }],
  ['o.day::2025-01-01..2025-06-30', { dimension: 'o.day', dateRange: ['2025-01-01', '2025-06-30'] }],
  [
    'o.at:hour:2025-01-01T00:00:00..2025-01-01T12:30:00',
    { dimension: 'o.at', granularity: 'hour', dateRange: ['2025-01-01T00:00:00', '2025-01-01T12:30:00'] },
  ],
])('--time %s', (text, time) =>
  expect(ask('--measures', 'o.n', '--time', text)).toEqual({
    measures: ['o.n'],
    dimensions: [],
    timeDimensions: [time],
  }),
);

test.each([
  ['o.status = completed', { member: 'o.status', operator: 'equals', values: ['completed'] }],
  [
    'o.status=completed,returned',
    { member: 'o.status', operator: 'equals', values: ['completed', 'returned'] },
  ],
  ['o.status != null', { member: 'o.status', operator: 'notEquals', values: [null] }],
  ['o.name = "null", "a, b"', { member: 'o.name', operator: 'equals', values: ['null', 'a, b'] }],
  ['o.name = "say \\"hi\\""', { member: 'o.name', operator: 'equals', values: ['say "hi"'] }],
  ['o.amount >= 10.50', { member: 'o.amount', operator: 'gte', values: ['10.50'] }],
  ['o.amount<-1', { member: 'o.amount', operator: 'lt', values: ['-1'] }],
  ['o.email set', { member: 'o.email', operator: 'set' }],
  ['o.name NOTCONTAINS x', { member: 'o.name', operator: 'notContains', values: ['x'] }],
  ['o.day inDateRange last 7 days', { member: 'o.day', operator: 'inDateRange', values: ['last 7 days'] }],
  [
    'o.day inDateRange 2025-01-01..2025-01-31',
    { member: 'o.day', operator: 'inDateRange', values: ['2025-01-01', '2025-01-31'] },
  ],
  ['{"or": [{"member": "o.a", "operator": "set"}]}', { or: [{ member: 'o.a', operator: 'set' }] }],
])('--filter %s', (text, filter) =>
  expect(ask('--measures', 'o.n', '--filter', text)).toMatchObject({ filters: [filter] }),
);

test('an order goes up unless it says :desc', () =>
  expect(ask('--measures', 'o.n', '--order', 'o.n:desc,o.region')).toMatchObject({
    order: [
      ['o.n', 'desc'],
      ['o.region', 'asc'],
    ],
  }));

test('a metric comes by its own time, and bare names are its columns', () =>
  expect(ask('--metric', 'revenue', '--dimensions', 'region,o.channel', '--order', 'revenue:desc')).toEqual({
    measures: ['revenue'],
    dimensions: ['revenue.ts', 'revenue.region', 'o.channel'],
    order: [['revenue', 'desc']],
  }));

test('the granularity of a metric can be another, or none', () => {
  expect(ask('--metric', 'a', '--metric', 'b', '--granularity', 'week')).toEqual({
    measures: ['a', 'b'],
    dimensions: ['a.ts.week'],
  });
  expect(ask('--metric', 'a', '--granularity', 'none')).toEqual({ measures: ['a'], dimensions: [] });
  expect(ask('--metric', 'a', '--time', 'ts:week:last 3 weeks')).toEqual({
    measures: ['a'],
    dimensions: [],
    timeDimensions: [{ dimension: 'a.ts', granularity: 'week', dateRange: 'last 3 weeks' }],
  });
  expect(ask('--metric', 'a', '--time', 'ts::last 3 weeks')).toMatchObject({ dimensions: ['a.ts'] });
});

test('a JSON query is taken as it is, also as HTTP clients wrap it; limit and time zone may be added', () => {
  expect(ask('--query', '{"measures": ["o.n"]}', '--limit', '5', '--timezone', 'Europe/Vienna')).toEqual({
    measures: ['o.n'],
    limit: 5,
    timezone: 'Europe/Vienna',
  });
  expect(ask('--query', '{"query": {"measures": ["o.n"]}}')).toEqual({ measures: ['o.n'] });
});

test('nothing asked is no question', () => expect(ask('--limit', '5')).toBeUndefined());

test.each([
  [['--query', '{}', '--measures', 'o.n'], /conflicting-options --query and --measures/],
  [['--query', '{'], /cli.bad-value .*JSON/],
  [['--query', '@no/such/file'], /cli.cannot-read no\/such\/file/],
  [['--measures', 'o.n', '--time', 'o.day'], /cli.bad-value o.day is not a value of --time/],
  [['--measures', 'o.n', '--filter', 'o.status'], /cli.bad-value o.status is not a value of --filter/],
  [['--measures', 'o.n', '--filter', 'o.status like x'], /cli.bad-value/],
  [['--measures', 'o.n', '--order', 'o.n:down'], /cli.bad-value o.n:down/],
  [['--measures', 'o.n', '--granularity', 'week'], /--granularity/],
])('%j is refused', (args, why) => expect(refusedBy(...args)).toMatch(why));
