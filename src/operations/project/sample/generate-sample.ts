import { firstOfMonth } from './calendar.ts';
import { PRODUCTS, PROMOTIONS, priceInMonth, STORES } from './catalog.ts';
import { type CsvSink, money, openCsv, type SampleFile, type WriteChunk } from './csv-sink.ts';
import { CUSTOMERS_HEADER, writeCustomers } from './customers.ts';
import { ORDER_ITEMS_HEADER, ORDERS_HEADER, PAYMENTS_HEADER, writeOrders } from './orders.ts';
import { createRandom } from './random.ts';
import { SAMPLE_SEED } from './stories.ts';

// The data of the example project, from whole numbers only:
//
//   catalog ──────────────► seeds/stores.csv  seeds/products.csv  seeds/promotions.csv   the same at every scale
//   catalog × months ─────► data/product_prices.csv                                      the same at every scale
//   demand per day × scale ► data/customers.csv  data/orders.csv  data/order_items.csv  data/payments.csv
//
// The caller owns the files; the generator only says which piece goes where.

/** What to generate: a scale of 1 is about 23 thousand orders, and `write` receives the files piece by piece. */
interface SampleRequest {
  readonly scale: number;
  readonly write: WriteChunk;
}

/** A larger scale would leave the exact range of the random numbers. */
export const SCALE_MAX = 1000;

/** Writes the sample data and returns what was written, in the order of the files' first pieces. */
export async function generateSample({ scale, write }: SampleRequest): Promise<readonly SampleFile[]> {
  if (!Number.isInteger(scale) || scale < 1 || scale > SCALE_MAX) {
    throw new RangeError(`sample scale ${scale} is not a whole number from 1 to ${SCALE_MAX}`);
  }
  const files: SampleFile[] = [];
  for (const [path, header, lines] of fixedTables()) {
    const sink = openCsv(path, header, write);
    for (const line of lines) sink.line(line);
    files.push(await sink.close());
  }
  const customers = openCsv('data/customers.csv', CUSTOMERS_HEADER, write);
  await writeCustomers(customers, createRandom(SAMPLE_SEED, 0), scale);
  files.push(await customers.close());

  const orders = openCsv('data/orders.csv', ORDERS_HEADER, write);
  const items = openCsv('data/order_items.csv', ORDER_ITEMS_HEADER, write);
  const payments = openCsv('data/payments.csv', PAYMENTS_HEADER, write);
  await writeOrders({ orders, items, payments }, scale);
  for (const sink of [orders, items, payments] satisfies CsvSink[]) files.push(await sink.close());
  return files;
}

const MONTHS_TOTAL = 36;

/** Files that have the same bytes at every scale, with their text. */
export function fixedFiles(): ReadonlyMap<string, string> {
  return new Map(fixedTables().map(([path, header, lines]) => [path, `${[header, ...lines].join('\n')}\n`]));
}

/** Every path the sample writes. */
export const SAMPLE_PATHS: readonly string[] = [
  ...['seeds/stores.csv', 'seeds/products.csv', 'seeds/promotions.csv', 'data/product_prices.csv'],
  ...['data/customers.csv', 'data/orders.csv', 'data/order_items.csv', 'data/payments.csv'],
];

function fixedTables(): readonly (readonly [path: string, header: string, lines: readonly string[]])[] {
  const stores = STORES.map(
    (store) =>
      `${store.storeId},${store.name},${store.city},${store.country},${store.region},${store.openedOn}`,
  );
  const products = PRODUCTS.map(
    (product) =>
      `${product.productId},${product.sku},${product.name},${product.category},${money(product.unitCostCents)}`,
  );
  const promotions = PROMOTIONS.map(
    (promotion) =>
      `${promotion.code},${promotion.name},${promotion.startsOn},${promotion.endsOn},${promotion.discountPercent}`,
  );
  const prices = Array.from({ length: MONTHS_TOTAL }, (_, month) =>
    PRODUCTS.map(
      (product) => `${firstOfMonth(month)},${product.productId},${money(priceInMonth(product, month))}`,
    ),
  ).flat();
  return [
    ['seeds/stores.csv', 'store_id,store_name,city,country,region,opened_on', stores],
    ['seeds/products.csv', 'product_id,sku,product_name,category,unit_cost', products],
    ['seeds/promotions.csv', 'promotion_code,promotion_name,starts_on,ends_on,discount_percent', promotions],
    ['data/product_prices.csv', 'listed_on,product_id,price', prices],
  ];
}
