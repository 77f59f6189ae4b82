import { DAYS_TOTAL, dayOf, monthOf, weekdayOf } from './calendar.ts';
import { PROMOTIONS, type SamplePromotion, STORES } from './catalog.ts';
import type { Random } from './random.ts';
import { GROWTH_FROM, GROWTH_TO, MONTH_DEMAND, WEEKDAY_DEMAND } from './stories.ts';

// How many orders a day has: a base, times growth, season, weekday, promotion, open stores and a little chance.
// Each factor is a whole number of thousandths, and each product is cut back to whole thousandths at once.

const BASE_THOUSANDTHS = 19_600;

const STORE_OPENS = STORES.map((store) => dayOf(store.openedOn));
const PROMOTION_DAYS = PROMOTIONS.map((promotion) => ({
  promotion,
  from: dayOf(promotion.startsOn),
  to: dayOf(promotion.endsOn),
}));

/** The promotion running on a day, if any. */
export function promotionOn(day: number): SamplePromotion | undefined {
  return PROMOTION_DAYS.find(({ from, to }) => day >= from && day <= to)?.promotion;
}

/** The demand of each store on a day, in thousandths; 0 before it opens. */
export function storeWeights(day: number): readonly number[] {
  return STORES.map((store, index) => (day >= (STORE_OPENS[index] as number) ? store.weight : 0));
}

/** The number of orders of a day at scale 1; a larger scale multiplies it exactly. */
export function ordersOnDay(day: number, random: Random): number {
  const growth = GROWTH_FROM + Math.floor(((GROWTH_TO - GROWTH_FROM) * day) / (DAYS_TOTAL - 1));
  const factors = [
    growth,
    MONTH_DEMAND[monthOf(day) % 12] as number,
    WEEKDAY_DEMAND[weekdayOf(day)] as number,
    promotionOn(day)?.demand ?? 1000,
    storeWeights(day).reduce((sum, weight) => sum + weight, 0),
    900 + random.below(201),
  ];
  const thousandths = factors.reduce(
    (product, factor) => Math.floor((product * factor) / 1000),
    BASE_THOUSANDTHS,
  );
  return Math.max(1, Math.round(thousandths / 1000));
}
