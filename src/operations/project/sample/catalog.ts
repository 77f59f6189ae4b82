// The fixed part of the shop: stores, products, promotions and the price list. It is the same at every scale,
// so these tables are seeds of the project and their files are committed with it.

/** A branch; `weight` is its share of the demand in thousandths of the seven first stores together. */
interface Store {
  readonly storeId: number;
  readonly name: string;
  readonly city: string;
  readonly country: string;
  readonly region: 'EU' | 'US';
  readonly openedOn: string;
  readonly weight: number;
}

/** An article with its price of January 2023 in cents; later prices come from priceInMonth. */
interface Product {
  readonly productId: number;
  readonly sku: string;
  readonly name: string;
  readonly category: string;
  readonly firstPriceCents: number;
  readonly unitCostCents: number;
}

/** A span of days (both ends included) with a discount; `demand` multiplies the orders of those days, in thousandths. */
export interface SamplePromotion {
  readonly code: string;
  readonly name: string;
  readonly startsOn: string;
  readonly endsOn: string;
  readonly discountPercent: number;
  readonly demand: number;
}

const store = (
  storeId: number,
  [name, city, country, region]: readonly [string, string, string, 'EU' | 'US'],
  openedOn: string,
  weight: number,
): Store => ({ storeId, name, city, country, region, openedOn, weight });

/** Eight branches in two regions; the last one opens halfway through the sample. */
export const STORES: readonly Store[] = [
  store(1, ['Berlin Mitte', 'Berlin', 'DE', 'EU'], '2019-03-01', 190),
  store(2, ['Paris Marais', 'Paris', 'FR', 'EU'], '2019-09-16', 170),
  store(3, ['Madrid Centro', 'Madrid', 'ES', 'EU'], '2020-06-01', 130),
  store(4, ['Vienna Neubau', 'Vienna', 'AT', 'EU'], '2021-04-12', 90),
  store(5, ['New York Soho', 'New York', 'US', 'US'], '2020-02-03', 180),
  store(6, ['Chicago Loop', 'Chicago', 'US', 'US'], '2021-08-02', 130),
  store(7, ['Austin South', 'Austin', 'US', 'US'], '2022-05-09', 110),
  store(8, ['Lisbon Baixa', 'Lisbon', 'PT', 'EU'], '2024-07-01', 160),
];

const ARTICLES: readonly (readonly [string, string, number, number])[] = [
  ['coffee', 'House blend 250 g', 890, 410],
  ['coffee', 'House blend 1 kg', 2990, 1420],
  ['coffee', 'Espresso dark 250 g', 950, 440],
  ['coffee', 'Espresso dark 1 kg', 3190, 1510],
  ['coffee', 'Ethiopia natural 250 g', 1290, 640],
  ['coffee', 'Colombia washed 250 g', 1190, 570],
  ['coffee', 'Kenya AA 250 g', 1390, 690],
  ['coffee', 'Decaf 250 g', 990, 480],
  ['coffee', 'Cold brew bags', 1490, 620],
  ['coffee', 'Tasting set', 2490, 1180],
  ['tea', 'Assam loose leaf', 790, 310],
  ['tea', 'Darjeeling first flush', 1690, 820],
  ['tea', 'Sencha', 1190, 520],
  ['tea', 'Matcha 30 g', 2190, 1080],
  ['tea', 'Earl Grey', 750, 290],
  ['tea', 'Rooibos', 650, 240],
  ['tea', 'Chamomile', 590, 210],
  ['tea', 'Peppermint', 590, 205],
  ['brewing', 'Pour-over dripper', 2490, 1090],
  ['brewing', 'Paper filters 100', 690, 220],
  ['brewing', 'French press', 3490, 1620],
  ['brewing', 'Moka pot', 2990, 1380],
  ['brewing', 'Hand grinder', 6990, 3590],
  ['brewing', 'Gooseneck kettle', 5990, 3110],
  ['brewing', 'Scale with timer', 4490, 2260],
  ['brewing', 'Milk frother', 1990, 840],
  ['brewing', 'Espresso machine', 44900, 28700],
  ['brewing', 'Teapot with strainer', 2790, 1210],
  ['tableware', 'Espresso cup', 990, 340],
  ['tableware', 'Cappuccino cup', 1190, 410],
  ['tableware', 'Latte glass', 1090, 370],
  ['tableware', 'Travel mug', 2490, 1040],
  ['tableware', 'Tea bowl', 1390, 520],
  ['tableware', 'Sugar jar', 1590, 610],
  ['tableware', 'Serving tray', 2290, 950],
  ['pantry', 'Shortbread', 490, 190],
  ['pantry', 'Dark chocolate', 450, 180],
  ['pantry', 'Oat drink 6 pack', 1290, 760],
  ['pantry', 'Vanilla syrup', 890, 330],
  ['pantry', 'Honey', 790, 350],
];

/** Forty articles; the earlier ones sell more. */
export const PRODUCTS: readonly Product[] = ARTICLES.map(
  ([category, name, firstPriceCents, unitCostCents], index) => ({
    productId: index + 1,
    sku: `${category.slice(0, 3).toUpperCase()}-${100 + index}`,
    name,
    category,
    firstPriceCents,
    unitCostCents,
  }),
);

/** Three promotions; black-week-24 is the spike, the other two are ordinary. */
export const PROMOTIONS: readonly SamplePromotion[] = [
  {
    code: 'SPRING23',
    name: 'Spring days 2023',
    startsOn: '2023-04-17',
    endsOn: '2023-04-23',
    discountPercent: 10,
    demand: 1250,
  },
  {
    code: 'BLACKWEEK24',
    name: 'Black week 2024',
    startsOn: '2024-11-25',
    endsOn: '2024-12-01',
    discountPercent: 20,
    demand: 3000,
  },
  {
    code: 'BIRTHDAY25',
    name: 'Birthday week 2025',
    startsOn: '2025-06-02',
    endsOn: '2025-06-08',
    discountPercent: 15,
    demand: 1350,
  },
];

// Month numbers (see monthOf): coffee gets dearer in July 2024, the grinder cheaper in March 2025.
const COFFEE_DEARER_MONTH = 18;
const GRINDER_CHEAPER_MONTH = 26;

/** The list price of a product in a month, in cents. */
export function priceInMonth(product: Product, month: number): number {
  if (product.category === 'coffee' && month >= COFFEE_DEARER_MONTH) return product.firstPriceCents + 100;
  if (product.name === 'Hand grinder' && month >= GRINDER_CHEAPER_MONTH) return 5990;
  return product.firstPriceCents;
}
