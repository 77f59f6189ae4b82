/*
 * What policies leave of a semantic model to a caller.
 *
 *   policies of the caller's groups ──▶ alternatives: {filters, masks}        a row is seen when the filters of one hold
 *   two sets of policies (two environments) ──▶ every pair of alternatives    both must let a row pass, both must leave a member clear
 *
 * A member is clear in a row when one alternative both lets the row pass and does not mask it. Where that differs from row to row,
 * the rows come with a column that says it (see visible-tables.ts).
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { MemberFilter, Policy } from '../../domain/semantic-model.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { IndexedModel } from './indexed-model.ts';
import type { Masks } from './member-reader.ts';
import type { SemanticIndex } from './semantic-index.ts';

/** One way to see rows. */
export interface Alternative {
  /** All must hold; none: every row. */
  readonly filters: readonly MemberFilter[];
  /** Lower-case names of what it masks. */
  readonly masked: ReadonlySet<string>;
}

/** What a caller may see of one semantic model. */
export interface Access {
  readonly isDenied: boolean;
  /** Empty when no policy restricts the caller, or all are denied. */
  readonly alternatives: readonly Alternative[];
  /** A row is seen when all filters of one of these lists hold; absent: every row. */
  readonly rows?: readonly (readonly MemberFilter[])[];
  /** By lower-case name: masked in every row, or in those where the column of that name is not true. */
  readonly masks: ReadonlyMap<string, 'always' | Flag>;
}

/** A column that rows come with: true where one of the alternatives lets the row pass. */
export interface Flag {
  readonly column: string;
  readonly alternatives: readonly Alternative[];
}

const NO_MASKS: Access['masks'] = new Map();
const OPEN: Access = { isDenied: false, alternatives: [], masks: NO_MASKS };
const DENIED: Access = { isDenied: true, alternatives: [], masks: NO_MASKS };

const known = new WeakMap<Caller, Map<IndexedModel, Access>>();

/** Policies of one of the caller's groups count; `*` is every caller. */
export function accessOf(model: IndexedModel, caller: Caller): Access {
  if (caller.isUnrestricted || (model.policySets.length === 0 && model.isClosedTo === undefined)) return OPEN;
  const own = known.get(caller) ?? new Map<IndexedModel, Access>();
  known.set(caller, own);
  let access = own.get(model);
  if (access === undefined) {
    access = readAccess(model, caller);
    own.set(model, access);
  }
  return access;
}

/** Whether a policy takes anything of a semantic model from a caller. */
export function isRestricted({ isDenied, rows, masks }: Access): boolean {
  return isDenied || rows !== undefined || masks.size > 0;
}

function readAccess(model: IndexedModel, caller: Caller): Access {
  if (model.isClosedTo?.(caller) === true) return DENIED;
  let alternatives: readonly Alternative[] = [{ filters: [], masked: new Set() }];
  for (const policies of model.policySets) {
    const own = policies.filter(({ group }) => group.value === '*' || caller.groups.includes(group.value));
    alternatives = alternatives.flatMap((each) => own.map((policy) => narrowed(each, policy)));
  }
  if (alternatives.length === 0) return DENIED;
  const isOpen = alternatives.some(({ filters }) => filters.length === 0);
  const masks = masksAmong(alternatives, model);
  if (isOpen && masks.size === 0) return OPEN;
  return {
    isDenied: false,
    alternatives,
    masks,
    ...(isOpen ? {} : { rows: alternatives.map(({ filters }) => filters) }),
  };
}

function narrowed({ filters, masked }: Alternative, { filter, mask }: Policy): Alternative {
  return {
    filters: [...filters, ...filter.map(withoutEmpty)],
    masked: new Set([...masked, ...mask.map(({ value }) => value.toLowerCase())]),
  };
}

/** An empty condition must not read as one that always holds. */
function withoutEmpty(filter: MemberFilter): MemberFilter {
  if (filter.kind === 'member') return filter;
  return filter.filters.length === 0
    ? { kind: 'or', filters: [] }
    : { kind: filter.kind, filters: filter.filters.map(withoutEmpty) };
}

function masksAmong(alternatives: readonly Alternative[], model: IndexedModel): Access['masks'] {
  const masks = new Map<string, 'always' | Flag>();
  const flags = new Map<string, Flag>();
  for (const name of new Set(alternatives.flatMap(({ masked }) => [...masked]))) {
    const clearing = alternatives.filter(({ masked }) => !masked.has(name));
    if (clearing.some(({ filters }) => filters.length === 0)) continue;
    const key = clearing.map((each) => alternatives.indexOf(each)).join(' ');
    const flag = flags.get(key) ?? { column: flagName(model, flags.size + 1), alternatives: clearing };
    if (clearing.length > 0) flags.set(key, flag);
    masks.set(name, clearing.length === 0 ? 'always' : flag);
  }
  return masks;
}

/** A name that no column of the model has. */
function flagName({ columns }: IndexedModel, number: number): string {
  let name = `policy_${number}`;
  while (columns.has(name)) name = `_${name}`;
  return name;
}

/** The columns that rows of a semantic model come with for a caller. */
export function flagsOf({ masks }: Access): readonly Flag[] {
  return [...new Set(masks.values())].filter((mask) => mask !== 'always');
}

/** All masks of a caller, and a text that is equal for equal masks. */
export function masksOf(
  index: SemanticIndex,
  caller: Caller,
): { readonly masks: Masks; readonly key: string } {
  const masks = new Map<string, ReadonlyMap<string, true | string>>();
  if (caller.isUnrestricted) return { masks, key: '' };
  const words: string[] = [];
  for (const [name, model] of index.models) {
    if (model.policySets.length === 0) continue;
    const { masks: own } = accessOf(model, caller);
    if (own.size === 0) continue;
    const named = [...own].map(([member, mask]) => [member, mask === 'always' || mask.column] as const);
    masks.set(name, new Map(named));
    words.push(`${name}:${JSON.stringify(named.sort(([a], [b]) => (a < b ? -1 : 1)))}`);
  }
  return { masks, key: words.join(';') };
}

/** Who may not ask learns nothing of what else is wrong with the question. */
export function permissionFirst(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const denied = diagnostics.filter(({ code }) => code.startsWith('policy.'));
  return denied.length > 0 ? denied : diagnostics;
}

export function noAccess(name: string): Diagnostic {
  return diagnostic('policy.no-access', { name });
}
