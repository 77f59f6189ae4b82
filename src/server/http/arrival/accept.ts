import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Problem } from '../answers/problem.ts';

/** Refuses a caller who takes none of the types that an address answers with. */
export function refuseUnacceptable(accept: string | undefined, types: readonly string[]): void {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') {
    if (accept !== 'application/json' || types.includes('application/json')) return;
  }
  if (!isAcceptable(accept, types))
    throw new Problem(
      406,
      diagnostic('http.not-acceptable', { accept: accept.slice(0, 100), types: types.join(', ') }),
    );
}

/** Whether one of the types is taken. */
export const isAcceptable = (accept: string, types: readonly string[]): boolean =>
  preferredType(accept, types) !== undefined;

/** The type that is liked best, the first of several; the most specific range that covers a type says how much. An empty list asks for nothing in particular. */
export function preferredType(accept: string, types: readonly string[]): string | undefined {
  const ranges = accept
    .split(',')
    .map(rangeOf)
    .filter(({ type }) => type !== '');
  if (ranges.length === 0) return types[0];
  const qualityOf = (type: string): number => {
    const fitting = ranges
      .filter((range) => covers(range.type, type))
      .sort((a, b) => precisionOf(b.type) - precisionOf(a.type));
    return fitting[0]?.quality ?? 0;
  };
  let best: { readonly type: string; readonly quality: number } | undefined;
  for (const type of types) {
    const quality = qualityOf(type);
    if (quality > (best?.quality ?? 0)) best = { type, quality };
  }
  return best?.type;
}

function rangeOf(text: string): { readonly type: string; readonly quality: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const written = parameters.map((each) => /^q\s*=\s*(\d(?:\.\d*)?)$/.exec(each)?.[1]).find(Boolean);
  return { type, quality: written === undefined ? 1 : Math.min(1, Number(written)) };
}

const covers = (range: string, type: string): boolean =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));

const precisionOf = (range: string): number => (range === '*/*' ? 0 : range.endsWith('/*') ? 1 : 2);
