import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { MemberFilter } from '../../domain/semantic-model.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { IndexedModel } from './indexed-model.ts';
import type { Masks } from './member-reader.ts';
import type { SemanticIndex } from './semantic-index.ts';

/** What a caller may see of one semantic model. */
export interface Access {
  readonly isDenied: boolean;
  /** A row is seen when all filters of one of these lists hold; absent: every row. */
  readonly rows?: readonly (readonly MemberFilter[])[];
  /** Lower-case names. */
  readonly masked: ReadonlySet<string>;
}

const OPEN: Access = { isDenied: false, masked: new Set() };

/** Policies of one of the caller's groups count; `*` is everybody. */
export function accessOf({ semantic }: IndexedModel, caller: Caller): Access {
  if (caller.isUnrestricted || semantic.policies.length === 0) return OPEN;
  const own = semantic.policies.filter(
    ({ group }) => group.value === '*' || caller.groups.includes(group.value),
  );
  const [first] = own;
  if (first === undefined) return { isDenied: true, masked: new Set() };
  const masked = first.mask
    .map(({ value }) => value.toLowerCase())
    .filter((name) => own.every(({ mask }) => mask.some(({ value }) => value.toLowerCase() === name)));
  const isOpen = own.some(({ filter }) => filter.length === 0);
  return {
    isDenied: false,
    masked: new Set(masked),
    ...(isOpen ? {} : { rows: own.map(({ filter }) => filter) }),
  };
}

/** All masks of a caller, and a text that is equal for equal masks. */
export function masksOf(
  index: SemanticIndex,
  caller: Caller,
): { readonly masks: Masks; readonly key: string } {
  const masks = new Map<string, ReadonlySet<string>>();
  if (caller.isUnrestricted) return { masks, key: '' };
  const words: string[] = [];
  for (const [name, model] of index.models) {
    if (model.semantic.policies.length === 0) continue;
    const { masked } = accessOf(model, caller);
    if (masked.size === 0) continue;
    masks.set(name, masked);
    words.push(`${name}:${[...masked].sort().join(',')}`);
  }
  return { masks, key: words.join(';') };
}

export function noAccess({ name }: IndexedModel): Diagnostic {
  return diagnostic('policy.no-access', { name });
}
