import { canonicalJson } from '../canonical-json.ts';

/** A text that is equal for equal content, wherever it stands in its file. */
export function canonicalContent(content: unknown): string {
  return canonicalJson(withoutPlaces(content));
}

/** A copy without offsets into files: `start` with `end` as numbers, `pieces`, `at` and `typeAt`. */
function withoutPlaces(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutPlaces);
  const record = value as Readonly<Record<string, unknown>>;
  const isPlaced = typeof record['start'] === 'number' && typeof record['end'] === 'number';
  return Object.fromEntries(
    Object.entries(record)
      .filter(([key]) => !(isPlaced && (key === 'start' || key === 'end' || key === 'pieces')))
      .filter(([key, part]) => !((key === 'at' || key === 'typeAt') && isPlace(part)))
      .map(([key, part]) => [key, withoutPlaces(part)]),
  );
}

function isPlace(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'start' in value && 'end' in value;
}
