import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Problem } from './problem.ts';

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

/** Ranges with `q=0` take a type away unless a more specific one gives it back; an empty list asks for nothing in particular. */
export function isAcceptable(accept: string, types: readonly string[]): boolean {
  const ranges = accept
    .split(',')
    .map(rangeOf)
    .filter(({ type }) => type !== '');
  if (ranges.length === 0) return true;
  return types.some((type) => {
    const fitting = ranges
      .filter((range) => covers(range.type, type))
      .sort((a, b) => precisionOf(b.type) - precisionOf(a.type));
    return fitting[0] !== undefined && !fitting[0].isRefused;
  });
}

function rangeOf(text: string): { readonly type: string; readonly isRefused: boolean } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  return { type, isRefused: parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter)) };
}

const covers = (range: string, type: string): boolean =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));

const precisionOf = (range: string): number => (range === '*/*' ? 0 : range.endsWith('/*') ? 1 : 2);
