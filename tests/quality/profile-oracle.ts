/** A profile computed in TypeScript from the rows, slowly and by the words of domain/table-profile.ts. */
import type { ColumnProfile } from '../../src/domain/table-profile.ts';

export type OracleValue = number | string | boolean | null;

/** What the oracle says about a column; only of what it has an opinion. */
export function oracleColumn(
  { name, type, family }: Pick<ColumnProfile, 'name' | 'type' | 'family'>,
  values: readonly OracleValue[],
): Partial<ColumnProfile> {
  const known = values.filter((value) => value !== null);
  const counts = new Map<string, number>();
  for (const value of known) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  const base = {
    name,
    type,
    family,
    nulls: values.length - known.length,
    distinct: counts.size,
    duplicates: [...counts.values()].filter((rows) => rows > 1).reduce((sum, rows) => sum + rows, 0),
  };
  if (known.length === 0) return base;
  if (family === 'number') return { ...base, ...oracleNumbers(known as readonly number[]) };
  if (family === 'text') return { ...base, ...oracleTexts(known as readonly string[]) };
  return base;
}

function oracleNumbers(known: readonly number[]): Partial<ColumnProfile> {
  const sorted = known.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return { zeros: 0, negatives: 0 };
  const sum = sorted.reduce((a, b) => a + b, 0);
  const avg = sum / sorted.length;
  const at = (p: number): number => {
    const place = p * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
    return low + (high - low) * (place - Math.floor(place));
  };
  return {
    sum,
    avg,
    ...(sorted.length < 2
      ? {}
      : { stddev: Math.sqrt(sorted.reduce((a, b) => a + (b - avg) ** 2, 0) / (sorted.length - 1)) }),
    quartiles: [at(0.25), at(0.5), at(0.75)],
    zeros: sorted.filter((each) => each === 0).length,
    negatives: sorted.filter((each) => each < 0).length,
  };
}

function oracleTexts(known: readonly string[]): Partial<ColumnProfile> {
  const lengths = known.map((text) => [...text].length);
  const shapes = new Map<string, number>();
  for (const text of known) {
    const shape = [...text]
      .slice(0, 60)
      .join('')
      .replace(/\p{L}/gu, (letter) => (/\p{Lu}/u.test(letter) ? 'A' : 'a'))
      .replace(/\p{Nd}/gu, '9');
    shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
  }
  return {
    lengths: {
      min: Math.min(...lengths),
      max: Math.max(...lengths),
      avg: lengths.reduce((a, b) => a + b, 0) / lengths.length,
    },
    empties: known.filter((text) => text === '').length,
    patterns: [...shapes]
      .map(([pattern, rows]) => ({ pattern, rows }))
      .sort((a, b) => b.rows - a.rows || (a.pattern < b.pattern ? -1 : 1))
      .slice(0, 10),
  };
}
