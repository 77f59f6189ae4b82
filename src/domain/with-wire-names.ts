import { isoInstant } from '../foundation/time/iso.ts';

/** Data of the domain as it is spelled on the wire: names with underscores, times as text. Only for data whose names are the domain's own. */
export function withWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWireNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof inner === 'number' && /(?:At|Time)$/.test(name) ? isoInstant(inner) : withWireNames(inner),
    ]),
  );
}
