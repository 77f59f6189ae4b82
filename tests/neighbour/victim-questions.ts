/** What the victim asks, with the answers that are right. */
export const SMALL_N = 1_000;

export const ORDERS = 200_000;

/** `marts.orders` by status: how many, and what they amount to. */
const BY_STATUS = ['closed', 'open'].map((status) => {
  const own = Array.from({ length: ORDERS }, (_, i) => i).filter(
    (i) => (i % 3 === 0) === (status === 'open'),
  );
  return [status, own.length, own.reduce((sum, i) => sum + (i % 100), 0)];
});

/** One request, and whether its answer is right. */
export interface Asked {
  readonly kind: 'without engine' | 'cached' | 'fresh';
  readonly path: string;
  readonly body?: unknown;
  readonly isRight: (status: number, body: Readonly<Record<string, unknown>>) => boolean;
}

const rowsAre =
  (rows: unknown) =>
  (status: number, body: Readonly<Record<string, unknown>>): boolean =>
    status === 200 &&
    body['status'] === 'SUCCESS' &&
    cells((body['result'] as { readonly rows?: unknown } | undefined)?.rows) === cells(rows);

/** Large numbers come as texts. */
const cells = (rows: unknown): string => (JSON.stringify(rows) ?? '').replaceAll('"', '');

const isOk = (status: number): boolean => status === 200;

/** The n-th round of questions. `base` is the address of the product's API. */
export function questions(base: string, n: number): readonly Asked[] {
  const statement = `${base}/query/statement`;
  const open = {
    dimensions: ['orders.status'],
    measures: ['orders.count', 'orders.revenue'],
    order: { 'orders.status': 'asc' },
  };
  return [
    { kind: 'without engine', path: '/livez', isRight: isOk },
    { kind: 'without engine', path: '/platform-api/v1/me', isRight: isOk },
    { kind: 'without engine', path: `${base}/metadata/models?limit=5`, isRight: isOk },
    { kind: 'without engine', path: `${statement}?limit=3`, isRight: isOk },
    {
      kind: 'cached',
      path: `${base}/query/semantic/rest`,
      body: { query: open, wait: 20 },
      isRight: rowsAre(BY_STATUS),
    },
    {
      kind: 'fresh',
      path: `${base}/query/semantic/rest`,
      body: {
        query: {
          measures: ['orders.count'],
          filters: [{ member: 'orders.order_id', operator: 'lt', values: [n + 1] }],
        },
        wait: 20,
        cache: false,
      },
      isRight: rowsAre([[n + 1]]),
    },
    {
      kind: 'fresh',
      path: statement,
      body: { sql: `SELECT max(i) + ${n} AS n FROM s.m`, wait: 20, cache: false },
      isRight: rowsAre([[SMALL_N - 1 + n]]),
    },
  ];
}
