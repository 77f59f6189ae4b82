import { clockTime, DAYS_TOTAL, dayOf, isoDate, monthOf } from './calendar.ts';
import { PRODUCTS, priceInMonth, type SamplePromotion, STORES } from './catalog.ts';
import { type CsvSink, money } from './csv-sink.ts';
import { customersBefore, drawCustomer } from './customers.ts';
import { ordersOnDay, promotionOn, storeWeights } from './demand.ts';
import { createRandom, type Random } from './random.ts';
import {
  BAD_CHANNELS,
  CANCELLED_PERMILLE,
  LATE_DAY,
  LATE_DAY_LOADED_ON,
  NULL_DEVICE_FROM,
  NULL_DEVICE_TO,
  RETURNED_PERMILLE,
  SAMPLE_SEED,
} from './stories.ts';

// Day by day, and in a day by time: each order is written with its items and its payments and then forgotten.

export const ORDERS_HEADER =
  'order_id,customer_id,store_id,ordered_at,channel,device,status,promotion_code,loaded_at';
export const ORDER_ITEMS_HEADER = 'order_id,line_number,product_id,quantity,unit_price,discount';
export const PAYMENTS_HEADER = 'payment_id,order_id,paid_at,payment_type,method,amount';

/** The three files that one pass over the days fills. */
interface OrderSinks {
  readonly orders: CsvSink;
  readonly items: CsvSink;
  readonly payments: CsvSink;
}

interface Day {
  readonly number: number;
  readonly date: string;
  readonly loadedAt: string;
  readonly prices: readonly number[];
  readonly weights: readonly number[];
  readonly weightTotal: number;
  readonly promotion: SamplePromotion | undefined;
  readonly hasDevices: boolean;
  readonly customersKnown: number;
  readonly onlinePermille: number;
}

type Channel = 'online' | 'store' | 'phone';

const PHONE_PERMILLE = 60;
const OPENS_AT_SECOND = 7 * 3600;
const LAST_MOMENT = `${isoDate(DAYS_TOTAL - 1)} 23:59:59`;
const ALL_DATES = Array.from({ length: DAYS_TOTAL }, (_, day) => isoDate(day));

/** Writes every order of the three years with its items and payments. */
export async function writeOrders(sinks: OrderSinks, scale: number): Promise<void> {
  // The number of orders has its own sequence, so that scale 10 has exactly ten times the orders of every day.
  const demand = createRandom(SAMPLE_SEED, 1);
  const random = createRandom(SAMPLE_SEED, 2);
  const ids = { order: 0, payment: 0 };
  for (let number = 0; number < DAYS_TOTAL; number++) {
    const day = describeDay(number, scale);
    const seconds = orderSeconds(ordersOnDay(number, demand) * scale, random);
    const badChannel = BAD_CHANNELS.get(day.date);
    for (let index = 0; index < seconds.length; index++) {
      writeOrder(sinks, random, day, {
        ids,
        second: seconds[index] as number,
        badChannel: index === 0 ? badChannel : undefined,
      });
    }
    await sinks.orders.drain();
    await sinks.items.drain();
    await sinks.payments.drain();
  }
}

function describeDay(number: number, scale: number): Day {
  const date = ALL_DATES[number] as string;
  const month = monthOf(number);
  const weights = storeWeights(number);
  return {
    number,
    date,
    loadedAt: `${date === LATE_DAY ? LATE_DAY_LOADED_ON : isoDate(number + 1)} 03:30:00`,
    prices: PRODUCTS.map((product) => priceInMonth(product, month)),
    weights,
    weightTotal: weights.reduce((sum, weight) => sum + weight, 0),
    promotion: promotionOn(number),
    hasDevices: number < dayOf(NULL_DEVICE_FROM) || number > dayOf(NULL_DEVICE_TO),
    customersKnown: customersBefore(number) * scale,
    onlinePermille: 400 + Math.floor((200 * number) / DAYS_TOTAL),
  };
}

/** Times of day in ascending order; two draws make the afternoon busier than the edges. */
function orderSeconds(count: number, random: Random): Int32Array {
  const half = (86_400 - OPENS_AT_SECOND) / 2;
  const seconds = new Int32Array(count);
  for (let index = 0; index < count; index++) {
    seconds[index] = OPENS_AT_SECOND + random.below(half) + random.below(half);
  }
  return seconds.sort();
}

function writeOrder(
  sinks: OrderSinks,
  random: Random,
  day: Day,
  order: {
    readonly ids: { order: number; payment: number };
    readonly second: number;
    readonly badChannel: string | undefined;
  },
): void {
  const orderId = ++order.ids.order;
  const storeIndex = drawWeighted(random, day.weights, day.weightTotal);
  const store = STORES[storeIndex] as (typeof STORES)[number];
  const customerId = drawCustomer(random, day.customersKnown, store.region);
  const channel = drawChannel(random, day.onlinePermille);
  const device = drawDevice(random, channel);
  const status = drawStatus(random);
  const promotion = day.promotion !== undefined && random.permille(700) ? day.promotion : undefined;
  const orderedAt = `${day.date} ${clockTime(order.second)}`;
  sinks.orders.line(
    `${orderId},${customerId},${store.storeId},${orderedAt},${order.badChannel ?? channel},` +
      `${day.hasDevices ? device : ''},${status},${promotion?.code ?? ''},${day.loadedAt}`,
  );

  const total = writeItems(sinks.items, random, {
    orderId,
    day,
    discountPercent: promotion?.discountPercent ?? 0,
  });
  if (status === 'cancelled') return;
  const method = drawMethod(random, channel);
  const paidAt = atMostLastMoment(day.date, order.second + random.below(90));
  const gift = random.permille(40) ? Math.floor(total / 3) : 0;
  const pay = (at: string, type: 'charge' | 'refund', by: string, cents: number): void =>
    sinks.payments.line(`${++order.ids.payment},${orderId},${at},${type},${by},${money(cents)}`);
  if (gift > 0) pay(paidAt, 'charge', 'gift_card', gift);
  pay(paidAt, 'charge', method, total - gift);
  if (status === 'returned') {
    const refundDay = day.number + 3 + random.below(18);
    const refundSecond = 9 * 3600 + random.below(8 * 3600);
    const refundedAt =
      refundDay < DAYS_TOTAL ? `${ALL_DATES[refundDay]} ${clockTime(refundSecond)}` : LAST_MOMENT;
    pay(refundedAt, 'refund', method, -total);
  }
}

function writeItems(
  sink: CsvSink,
  random: Random,
  order: { readonly orderId: number; readonly day: Day; readonly discountPercent: number },
): number {
  const lines = drawWeighted(random, LINES_WEIGHTS, 100) + 1;
  let total = 0;
  for (let line = 1; line <= lines; line++) {
    // The smaller of two draws: earlier products sell more.
    const productIndex = Math.min(random.below(PRODUCTS.length), random.below(PRODUCTS.length));
    const quantity = drawWeighted(random, QUANTITY_WEIGHTS, 100) + 1;
    const unitPrice = order.day.prices[productIndex] as number;
    const discount = Math.floor((unitPrice * quantity * order.discountPercent) / 100);
    total += unitPrice * quantity - discount;
    sink.line(
      `${order.orderId},${line},${productIndex + 1},${quantity},${money(unitPrice)},${money(discount)}`,
    );
  }
  return total;
}

const LINES_WEIGHTS: readonly number[] = [45, 28, 15, 8, 4];
const QUANTITY_WEIGHTS: readonly number[] = [80, 15, 5];

function drawWeighted(random: Random, weights: readonly number[], total: number): number {
  let rest = random.below(total);
  for (let index = 0; index < weights.length; index++) {
    rest -= weights[index] as number;
    if (rest < 0) return index;
  }
  throw new RangeError(`weights do not add up to ${total}`);
}

function drawChannel(random: Random, onlinePermille: number): Channel {
  const draw = random.below(1000);
  if (draw < onlinePermille) return 'online';
  return draw < onlinePermille + PHONE_PERMILLE ? 'phone' : 'store';
}

function drawDevice(random: Random, channel: Channel): string {
  if (channel === 'store') return 'till';
  if (channel === 'phone') return 'phone';
  const draw = random.below(100);
  if (draw < 55) return 'mobile';
  return draw < 90 ? 'desktop' : 'tablet';
}

function drawStatus(random: Random): 'completed' | 'returned' | 'cancelled' {
  const draw = random.below(1000);
  if (draw < RETURNED_PERMILLE) return 'returned';
  return draw < RETURNED_PERMILLE + CANCELLED_PERMILLE ? 'cancelled' : 'completed';
}

function drawMethod(random: Random, channel: Channel): string {
  const draw = random.below(100);
  if (channel === 'store') return draw < 30 ? 'cash' : 'card';
  if (channel === 'phone') return draw < 60 ? 'invoice' : 'card';
  if (draw < 55) return 'card';
  return draw < 90 ? 'wallet' : 'invoice';
}

/** A payment may come seconds after midnight, but never after the last day of the sample. */
function atMostLastMoment(date: string, second: number): string {
  return `${date} ${clockTime(Math.min(second, 86_399))}`;
}
