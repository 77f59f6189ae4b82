import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { dayOf, isoDate, weekdayOf } from './calendar.ts';
import { STORES } from './catalog.ts';
import { money, type SampleFile } from './csv-sink.ts';
import { customersBefore } from './customers.ts';
import { generateSample, SCALE_MAX } from './generate-sample.ts';
import { createRandom } from './random.ts';
import { LATE_DAY, LATE_DAY_LOADED_ON, NULL_DEVICE_FROM, NULL_DEVICE_TO } from './stories.ts';

type Row = Readonly<Record<string, string>>;

interface Sample {
  readonly files: readonly SampleFile[];
  readonly texts: ReadonlyMap<string, string>;
}

async function generate(scale: number): Promise<Sample> {
  const chunks = new Map<string, string[]>();
  const files = await generateSample({
    scale,
    write: async (path, chunk) => {
      const known = chunks.get(path) ?? [];
      known.push(chunk);
      chunks.set(path, known);
    },
  });
  const texts = new Map([...chunks].map(([path, parts]) => [path, parts.join('')]));
  return { files, texts };
}

function table(sample: Sample, path: string): Row[] {
  const [header, ...lines] = (sample.texts.get(path) as string).trimEnd().split('\n');
  const names = (header as string).split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    if (cells.length !== names.length) throw new Error(`${path}: ${line}`);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] as string]));
  });
}

const cents = (amount: string | undefined): number => Math.round(Number(amount) * 100);
const dateOf = (timestamp: string | undefined): string => (timestamp as string).slice(0, 10);
const share = (part: number, whole: number): number => part / whole;

let sample: Sample;
let orders: Row[];
let items: Row[];
let payments: Row[];
let customers: Row[];

beforeAll(async () => {
  sample = await generate(1);
  orders = table(sample, 'data/orders.csv');
  items = table(sample, 'data/order_items.csv');
  payments = table(sample, 'data/payments.csv');
  customers = table(sample, 'data/customers.csv');
});

describe('the bytes of the sample', () => {
  test('are the same on every machine', () => {
    const hashes = [...sample.texts].map(([path, text]) => [
      path,
      createHash('sha256').update(text).digest('hex'),
    ]);
    expect(Object.fromEntries(hashes)).toEqual(GOLDEN_SHA256);
  });

  test('are plain ASCII, so that the bytes reported are the characters written', () => {
    for (const file of sample.files) {
      const text = sample.texts.get(file.path) as string;
      expect(/^[\n -~]*$/.test(text), file.path).toBe(true);
      expect(file.bytes).toBe(Buffer.byteLength(text));
      expect(file.rows).toBe(text.split('\n').length - 2);
    }
  });

  test('of the seeds are those committed with the example project', () => {
    for (const name of ['stores', 'products', 'promotions']) {
      const committed = readFileSync(
        new URL(`../../../../examples/shop/seeds/${name}.csv`, import.meta.url),
        'utf8',
      );
      expect(sample.texts.get(`seeds/${name}.csv`)).toBe(committed);
    }
  });
});

describe('the scale', () => {
  test('multiplies customers and the orders of every day exactly, and leaves the catalog alone', async () => {
    const larger = await generate(3);
    const perDay = (rows: readonly Row[]): Map<string, number> => {
      const days = new Map<string, number>();
      for (const row of rows) days.set(dateOf(row.ordered_at), (days.get(dateOf(row.ordered_at)) ?? 0) + 1);
      return days;
    };
    const small = perDay(orders);
    expect(perDay(table(larger, 'data/orders.csv'))).toEqual(
      new Map([...small].map(([day, n]) => [day, n * 3])),
    );
    expect(new Set(table(larger, 'data/customers.csv').map((row) => row.customer_id)).size).toBe(3 * 2400);
    for (const path of [
      'seeds/stores.csv',
      'seeds/products.csv',
      'seeds/promotions.csv',
      'data/product_prices.csv',
    ]) {
      expect(larger.texts.get(path)).toBe(sample.texts.get(path));
    }
  });

  test('of 10 gives ten times the orders, about ten times the rest, and still three bad channels, in bounded pieces', async () => {
    const rowsByPath = new Map<string, number>();
    let bad = 0;
    let longest = 0;
    const files = await generateSample({
      scale: 10,
      write: (path, chunk) => {
        longest = Math.max(longest, chunk.length);
        rowsByPath.set(path, (rowsByPath.get(path) ?? 0) + chunk.split('\n').length - 1);
        if (path === 'data/orders.csv') bad += chunk.match(/,(onlien|ONLINE|pos),/g)?.length ?? 0;
      },
    });
    for (const file of files) {
      expect(rowsByPath.get(file.path)).toBe(file.rows + 1);
      if (file.path.startsWith('seeds/') || file.path === 'data/product_prices.csv') continue;
      const one = sample.files.find((other) => other.path === file.path) as SampleFile;
      expect(share(file.rows, one.rows), file.path).toBeGreaterThan(9.9);
      expect(share(file.rows, one.rows), file.path).toBeLessThan(10.1);
    }
    expect(rowsByPath.get('data/orders.csv')).toBe(orders.length * 10 + 1);
    expect(bad).toBe(3);
    expect(longest).toBeLessThan(1_000_000);
  });

  test.each([0, -1, 1.5, Number.NaN, SCALE_MAX + 1])('of %s is refused', async (scale) => {
    await expect(generateSample({ scale, write: () => {} })).rejects.toThrow(RangeError);
  });
});

describe('references and amounts', () => {
  test('hold between all files', () => {
    const customerIds = new Set(customers.map((row) => row.customer_id));
    const storeIds = new Set(table(sample, 'seeds/stores.csv').map((row) => row.store_id));
    const productIds = new Set(table(sample, 'seeds/products.csv').map((row) => row.product_id));
    const promotionCodes = new Set([
      '',
      ...table(sample, 'seeds/promotions.csv').map((row) => row.promotion_code),
    ]);
    const orderIds = new Set(orders.map((row) => row.order_id));
    expect(orderIds.size).toBe(orders.length);
    expect(orders.every((row) => customerIds.has(row.customer_id))).toBe(true);
    expect(orders.every((row) => storeIds.has(row.store_id))).toBe(true);
    expect(orders.every((row) => promotionCodes.has(row.promotion_code))).toBe(true);
    expect(items.every((row) => orderIds.has(row.order_id) && productIds.has(row.product_id))).toBe(true);
    expect(payments.every((row) => orderIds.has(row.order_id))).toBe(true);
    expect(new Set(items.map((row) => row.order_id)).size).toBe(orders.length);
    expect(new Set(payments.map((row) => row.payment_id)).size).toBe(payments.length);
  });

  test('never let a customer order before the sign-up, or in the other region', () => {
    const byId = new Map(customers.map((row) => [row.customer_id, row]));
    const regions = new Map(STORES.map((store) => [String(store.storeId), store.region]));
    const wrong = orders.filter((order) => {
      const customer = byId.get(order.customer_id) as Row;
      const isEarly = (customer.signed_up_at as string) >= (order.ordered_at as string);
      return isEarly || customer.region !== regions.get(order.store_id as string);
    });
    expect(wrong).toEqual([]);
  });

  test('charge each order that was not cancelled with exactly its items, and refund each returned one in full', () => {
    const owed = new Map<string, number>();
    for (const item of items) {
      const net = cents(item.unit_price) * Number(item.quantity) - cents(item.discount);
      owed.set(item.order_id as string, (owed.get(item.order_id as string) ?? 0) + net);
    }
    const paid = new Map<string, { charge: number; refund: number }>();
    for (const payment of payments) {
      const sums = paid.get(payment.order_id as string) ?? { charge: 0, refund: 0 };
      sums[payment.payment_type as 'charge' | 'refund'] += cents(payment.amount);
      paid.set(payment.order_id as string, sums);
    }
    for (const order of orders) {
      const total = owed.get(order.order_id as string) as number;
      expect(paid.get(order.order_id as string)).toEqual(
        order.status === 'cancelled'
          ? undefined
          : { charge: total, refund: order.status === 'returned' ? 0 - total : 0 },
      );
    }
  });

  test('stay within the three years', () => {
    const days = orders.map((row) => dateOf(row.ordered_at)).sort();
    expect([days[0], days.at(-1)]).toEqual(['2023-01-01', '2025-12-31']);
    expect(new Set(days).size).toBe(1096);
    expect(payments.every((row) => dateOf(row.paid_at) <= '2025-12-31')).toBe(true);
    expect(customers.every((row) => dateOf(row.updated_at) <= '2025-12-31')).toBe(true);
  });
});

describe('the planted stories', () => {
  const between = (from: string, to: string): number =>
    orders.filter((row) => dateOf(row.ordered_at) >= from && dateOf(row.ordered_at) <= to).length;

  test('a sample of twenty to twenty-five thousand orders', () => {
    expect(orders.length).toBeGreaterThan(20_000);
    expect(orders.length).toBeLessThan(25_000);
  });

  test('a week with a strong Saturday and a weak Sunday', () => {
    const counted = orders.reduce(
      (sums, row) => {
        const day = weekdayOf(dayOf(dateOf(row.ordered_at)));
        sums[day] = (sums[day] as number) + 1;
        return sums;
      },
      Array.from<number>({ length: 7 }).fill(0),
    );
    expect(counted.indexOf(Math.max(...counted))).toBe(5);
    expect(counted.indexOf(Math.min(...counted))).toBe(6);
  });

  test('a year with its peak before Christmas, and growth from year to year', () => {
    for (const year of [2023, 2024, 2025]) {
      expect(between(`${year}-12-01`, `${year}-12-28`)).toBeGreaterThan(
        1.3 * between(`${year}-02-01`, `${year}-02-28`),
      );
    }
    expect(between('2024-01-01', '2024-12-31')).toBeGreaterThan(1.2 * between('2023-01-01', '2023-12-31'));
    expect(between('2025-01-01', '2025-12-31')).toBeGreaterThan(1.1 * between('2024-01-01', '2024-12-31'));
  });

  test('a store that opens midway and sells from its first day on', () => {
    const days = orders.filter((row) => row.store_id === '8').map((row) => dateOf(row.ordered_at));
    expect(days.every((day) => day >= '2024-07-01')).toBe(true);
    expect(days.filter((day) => day <= '2024-07-07').length).toBeGreaterThan(5);
  });

  test('a promotion that more than doubles a week', () => {
    const week = between('2024-11-25', '2024-12-01');
    expect(week).toBeGreaterThan(2 * between('2024-11-18', '2024-11-24'));
    expect(week).toBeGreaterThan(1.9 * between('2024-12-02', '2024-12-08'));
    const used = orders.filter((row) => row.promotion_code === 'BLACKWEEK24').length;
    expect(share(used, week)).toBeGreaterThan(0.6);
  });

  test('three in a hundred orders returned', () => {
    const returned = share(orders.filter((row) => row.status === 'returned').length, orders.length);
    expect(returned).toBeGreaterThan(0.027);
    expect(returned).toBeLessThan(0.033);
  });

  test('one day that is delivered three days late, while every other day comes the next morning', () => {
    const late = orders.filter((row) => dateOf(row.ordered_at) === LATE_DAY);
    expect(late.length).toBeGreaterThan(10);
    expect(new Set(late.map((row) => dateOf(row.loaded_at)))).toEqual(new Set([LATE_DAY_LOADED_ON]));
    const notNextDay = orders.filter(
      (row) => dateOf(row.loaded_at) !== isoDate(dayOf(dateOf(row.ordered_at)) + 1),
    );
    expect(notNextDay).toEqual(late);
  });

  test('exactly three rows with a bad channel', () => {
    const bad = orders.filter((row) => !['online', 'store', 'phone'].includes(row.channel as string));
    expect(bad.map((row) => [dateOf(row.ordered_at), row.channel])).toEqual([
      ['2025-02-03', 'onlien'],
      ['2025-05-12', 'ONLINE'],
      ['2025-10-06', 'pos'],
    ]);
  });

  test('one week without devices, and not a single one missing outside it', () => {
    const week = orders.filter(
      (row) => dateOf(row.ordered_at) >= NULL_DEVICE_FROM && dateOf(row.ordered_at) <= NULL_DEVICE_TO,
    );
    expect(week.length).toBeGreaterThan(70);
    expect(orders.filter((row) => row.device === '')).toEqual(week);
  });

  test('a change of prices that orders follow on the day', () => {
    const prices = table(sample, 'data/product_prices.csv');
    const priceOn = new Map(prices.map((row) => [`${row.listed_on} ${row.product_id}`, row.price]));
    const dayOfOrder = new Map(orders.map((row) => [row.order_id, dateOf(row.ordered_at)]));
    const wrong = items.filter((item) => {
      const month = (dayOfOrder.get(item.order_id) as string).slice(0, 7);
      return item.unit_price !== priceOn.get(`${month}-01 ${item.product_id}`);
    });
    expect(wrong).toEqual([]);
    expect([priceOn.get('2024-06-01 1'), priceOn.get('2024-07-01 1')]).toEqual(['8.90', '9.90']);
    expect([priceOn.get('2025-02-01 23'), priceOn.get('2025-03-01 23')]).toEqual(['69.90', '59.90']);
  });

  test('two regions that both have customers and orders', () => {
    for (const region of ['EU', 'US'] as const) {
      const stores = new Set(
        STORES.filter((store) => store.region === region).map((store) => String(store.storeId)),
      );
      expect(customers.filter((row) => row.region === region).length).toBeGreaterThan(500);
      expect(orders.filter((row) => stores.has(row.store_id as string)).length).toBeGreaterThan(5000);
    }
  });

  test('customers who change their consent later', () => {
    const changes = customers.filter((row) => row.updated_at !== row.signed_up_at);
    expect(changes.length).toBe(customers.length - 2400);
    expect(changes.length).toBeGreaterThan(100);
    expect(changes.every((row) => (row.updated_at as string) > (row.signed_up_at as string))).toBe(true);
  });
});

describe('the parts', () => {
  test('a random number is below its bound and depends on seed and stream only', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(100), fc.integer({ min: 1, max: 2 ** 21 }), (seed, stream, bound) => {
        const first = createRandom(seed, stream);
        const again = createRandom(seed, stream);
        for (let draw = 0; draw < 20; draw++) {
          const value = first.below(bound);
          expect(value).toBe(again.below(bound));
          expect(Number.isInteger(value) && value >= 0 && value < bound).toBe(true);
        }
      }),
    );
    expect(() => createRandom(1, 1).below(0)).toThrow(RangeError);
    expect(() => createRandom(1, 1).below(2 ** 21 + 1)).toThrow(RangeError);
  });

  test('random numbers are spread evenly', () => {
    const random = createRandom(7, 3);
    const hits = Array.from<number>({ length: 10 }).fill(0);
    for (let draw = 0; draw < 100_000; draw++) {
      const value = random.below(10);
      hits[value] = (hits[value] as number) + 1;
    }
    for (const hit of hits) expect(Math.abs(hit - 10_000)).toBeLessThan(500);
  });

  test('money has two digits after the point and reads back as the same cents', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), (amount) => {
        expect(money(amount)).toMatch(/^-?\d+\.\d\d$/);
        expect(BigInt(money(amount).replace('.', ''))).toBe(BigInt(amount));
      }),
    );
  });

  test('the number of customers never falls and ends at 2,400', () => {
    for (let day = -364; day <= 1096; day++) {
      expect(customersBefore(day)).toBeGreaterThanOrEqual(customersBefore(day - 1));
    }
    expect([customersBefore(-365), customersBefore(0), customersBefore(1096)]).toEqual([0, 480, 2400]);
  });

  test('days and dates are each other’s inverse', () => {
    fc.assert(fc.property(fc.integer({ min: -400, max: 1200 }), (day) => dayOf(isoDate(day)) === day));
    expect([weekdayOf(dayOf('2023-01-01')), weekdayOf(dayOf('2024-01-01')), weekdayOf(-1)]).toEqual([
      6, 0, 5,
    ]);
  });
});

const GOLDEN_SHA256 = {
  'seeds/stores.csv': '0e9baed9a801629e9e30818d9db890e3823d7b442286fe1726b0a0f2afc3ebc5',
  'seeds/products.csv': 'b03546c85308c2033d048da56d02cd78e10e00cecad7aa09827185f29ce76bec',
  'seeds/promotions.csv': '357417e0c973d2ac98054ba06a888a8ef83353bea00cf313993976ad221d2c15',
  'data/product_prices.csv': '9a03d66ffc83377244474aba140ce22cccb04f47c08522222ceaad724efd6f68',
  'data/customers.csv': '04bcabff246e12508840a9789a9e47f0eabd0d5da5986f2d938612aff51e5470',
  'data/orders.csv': 'a8219d1752ff5d8887be79f3c6087d3e2df18ff8406bf09230a72156717c69cd',
  'data/order_items.csv': 'c0ef0e23c2ccb02cce0cf9d5c74e77a710a62b31f2afe14a28597d2903738881',
  'data/payments.csv': '1ab628d7ca57168029205d6000f20056e1aead3ea4766249ba8c654824ff8a07',
};
