import type { AnswerColumn } from '../../domain/engine.ts';
import type { ColumnProfile, TableProfile } from '../../domain/table-profile.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { familyOf, isFloating } from './column-family.ts';
import { edgesOf } from './distribution.ts';
import { castTo, spelled } from './spelled.ts';

/** A column to profile, as SQL sees it. */
export interface ProfiledColumn {
  readonly name: string;
  readonly type: string;
  readonly family: ColumnProfile['family'];
  readonly isFloating: boolean;
  readonly dialect: Dialect;
  /** Begins the keys of its measurements. */
  readonly key: string;
  /** The quoted column. */
  readonly value: string;
  /** Of numbers: NULL where the value is NaN or infinite. */
  readonly finite: string;
  /** `finite` as a DOUBLE, of times the seconds since 1970: what bins and quantiles are made of. */
  readonly double: string;
  /** Profiles that it is compared with. */
  readonly before: readonly ColumnProfile[];
}

const LARGEST = String(Number.MAX_VALUE);

export function profiledColumn(
  { name, type }: AnswerColumn,
  index: number,
  dialect: Dialect,
  before: readonly TableProfile[],
): ProfiledColumn {
  const family = familyOf(type, dialect);
  const value = quoteName(name, dialect);
  const isFloat = isFloating(type, dialect);
  const edge = (text: string): string => castTo('DOUBLE', `'${text}'`, dialect);
  const finite = isFloat
    ? `CASE WHEN ${value} BETWEEN ${edge(`-${LARGEST}`)} AND ${edge(LARGEST)} THEN ${value} END`
    : value;
  return {
    name,
    type,
    family: family === 'binary' ? 'other' : family,
    isFloating: isFloat,
    dialect,
    key: `k${index}`,
    value,
    finite,
    double: castTo('DOUBLE', family === 'time' ? spelled('epoch', [value], dialect) : finite, dialect),
    before: before.flatMap(({ columns }) =>
      columns.filter((each) => each.name === name && each.type === type),
    ),
  };
}

/** Inner edges of the bins that earlier profiles have for a column of numbers. */
export function earlierEdges({ before }: ProfiledColumn): readonly number[] {
  return before.flatMap(({ shares }) => (shares === undefined ? [] : (edgesOf(shares) ?? [])));
}

/** Values that have a bin of their own in earlier profiles. */
export function earlierValues({ before }: ProfiledColumn): readonly string[] {
  const bins = before.flatMap(({ shares = [] }) => shares.map(({ bin }) => bin));
  return [...new Set(bins.filter((bin) => bin.startsWith('"')).map((bin) => JSON.parse(bin) as string))];
}
