import { isTimeType } from './semantic-world.ts';

/** Why a type cannot be aggregated so: what was expected, or undefined when it can or is not known. */
export function cannotAggregate(measure: string, type: string): string | undefined {
  if (
    type === 'UNKNOWN' ||
    /^(DECIMAL|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|BIGNUM|INTERVAL|BOOLEAN|JSON|VARIANT|NULL)/.test(
      type,
    )
  )
    return undefined;
  if (measure !== 'sum' && isTimeType(type) === true) return undefined;
  return measure === 'sum' ? 'a number' : 'a number or a time';
}
