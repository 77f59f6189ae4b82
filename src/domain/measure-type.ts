interface MeasureTypeFacts {
  /** It aggregates rows by itself; otherwise it is computed from measures. */
  readonly isAggregate: boolean;
  /** Its expression must be a number. */
  readonly needsNumber: boolean;
  /** The values of several periods combine to that of all of them. */
  readonly isAdditive: boolean;
}

/** The types of measures, in the order of the reference. A new one is an entry here; the type checker then asks for its SQL. */
const FACTS = {
  count: { isAggregate: true, needsNumber: false, isAdditive: true },
  count_distinct: { isAggregate: true, needsNumber: false, isAdditive: false },
  count_distinct_approx: { isAggregate: true, needsNumber: false, isAdditive: false },
  sum: { isAggregate: true, needsNumber: true, isAdditive: true },
  avg: { isAggregate: true, needsNumber: true, isAdditive: false },
  min: { isAggregate: true, needsNumber: false, isAdditive: true },
  max: { isAggregate: true, needsNumber: false, isAdditive: true },
  median: { isAggregate: true, needsNumber: true, isAdditive: false },
  percentile: { isAggregate: true, needsNumber: true, isAdditive: false },
  number: { isAggregate: false, needsNumber: false, isAdditive: false },
  string: { isAggregate: false, needsNumber: false, isAdditive: false },
  time: { isAggregate: false, needsNumber: false, isAdditive: false },
  boolean: { isAggregate: false, needsNumber: false, isAdditive: false },
} as const satisfies Readonly<Record<string, MeasureTypeFacts>>;

export type MeasureType = keyof typeof FACTS;

/** The types that aggregate rows. */
export type AggregateType = {
  [Type in MeasureType]: (typeof FACTS)[Type]['isAggregate'] extends true ? Type : never;
}[MeasureType];

export const MEASURE_TYPES = Object.keys(FACTS) as readonly MeasureType[];

export const isAggregateType = (type: MeasureType): type is AggregateType => FACTS[type].isAggregate;

export const needsNumber = (type: MeasureType): boolean => FACTS[type].needsNumber;

export const isAdditive = (type: MeasureType): boolean => FACTS[type].isAdditive;
