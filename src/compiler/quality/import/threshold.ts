/** A comparison as Soda and dbt write it; bounds are kept as texts, so that 0.30 stays 0.30. */
export type Threshold =
  | { readonly kind: 'compare'; readonly operator: Operator; readonly value: string }
  | {
      readonly kind: 'between';
      readonly isNegated: boolean;
      readonly low: string;
      readonly high: string;
      readonly opening: '' | '[' | '(';
      readonly closing: '' | ']' | ')';
    };

type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=';

const VALUE = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)\s*%?|(?:\d+\s*[dhms]\s*)+\d*`;
const COMPARE = new RegExp(String.raw`^(<=|>=|!=|<>|==|<|>|=)\s*(${VALUE})$`);
const BETWEEN = new RegExp(
  String.raw`^(not\s+)?between\s+([[(]?)\s*(${VALUE})\s+and\s+(${VALUE})\s*([\])]?)$`,
  'i',
);

const INVERSE: Readonly<Record<Operator, Operator>> = {
  '=': '!=',
  '!=': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};

/** Reads `< 5`, `= 2%`, `between 1 and 9`, `not between (1 and 9]`, `< 1d12h`; undefined when it is none of these. */
export function readThreshold(text: string): Threshold | undefined {
  const compare = COMPARE.exec(text.trim());
  if (compare !== null) {
    const sign = compare[1] as string;
    const operator = (sign === '==' ? '=' : sign === '<>' ? '!=' : sign) as Operator;
    return { kind: 'compare', operator, value: plain(compare[2] as string) };
  }
  const between = BETWEEN.exec(text.trim());
  if (between === null) return undefined;
  const [, not, opening, low, high, closing] = between;
  return {
    kind: 'between',
    isNegated: not !== undefined,
    low: plain(low as string),
    high: plain(high as string),
    opening: opening as '' | '[' | '(',
    closing: closing as '' | ']' | ')',
  };
}

/** Holds exactly where the other does not. */
export function inverse(threshold: Threshold): Threshold {
  return threshold.kind === 'compare'
    ? { ...threshold, operator: INVERSE[threshold.operator] }
    : { ...threshold, isNegated: !threshold.isNegated };
}

/** In the words of our rules; with `unit` each bound is written with it. */
export function thresholdText(threshold: Threshold, unit?: '%' | 'none'): string {
  const write = (value: string): string => {
    if (/[dhms]/.test(value)) return durationText(value);
    const bare = value.replace(/\s*%$/, '');
    return unit === '%' ? `${bare}%` : unit === 'none' ? bare : value.replace(/\s+%$/, '%');
  };
  if (threshold.kind === 'compare') return `${threshold.operator} ${write(threshold.value)}`;
  const { isNegated, low, high, opening, closing } = threshold;
  const range =
    opening === '' && closing === ''
      ? `${write(low)} and ${write(high)}`
      : `${opening || '['}${write(low)}, ${write(high)}${closing || ']'}`;
  return `${isNegated ? 'not ' : ''}between ${range}`;
}

/** As a condition on an SQL expression; undefined for durations, which are not numbers. */
export function thresholdSql(threshold: Threshold, expression: string): string | undefined {
  const values = threshold.kind === 'compare' ? [threshold.value] : [threshold.low, threshold.high];
  if (values.some((value) => /[dhms]/.test(value))) return undefined;
  const [low, high] = values.map((value) => value.replace(/\s*%$/, ''));
  if (threshold.kind === 'compare')
    return `${expression} ${threshold.operator === '!=' ? '<>' : threshold.operator} ${low}`;
  const above = threshold.opening === '(' ? '>' : '>=';
  const below = threshold.closing === ')' ? '<' : '<=';
  const inside = `${expression} ${above} ${low} AND ${expression} ${below} ${high}`;
  return threshold.isNegated ? `NOT (${inside})` : inside;
}

/** Whether every bound is a duration such as 1d12h. */
export function isDuration(threshold: Threshold): boolean {
  const values = threshold.kind === 'compare' ? [threshold.value] : [threshold.low, threshold.high];
  return values.every((value) => /[dhms]/.test(value));
}

/** `+5.` and `.5` as our rules spell numbers. */
function plain(value: string): string {
  return value
    .trim()
    .replace(/^\+/, '')
    .replace(/\.(?=\s*%|$)/, '')
    .replace(/^(-?)\./, '$10.');
}

/** `1d12h` as `1d 12h`; a last number without a unit has that before it, as in 1h30m. */
function durationText(value: string): string {
  const parts = [...value.matchAll(/(\d+)\s*([dhms])/g)].map(([, count, unit]) => `${count}${unit}`);
  return parts.join(' ');
}
