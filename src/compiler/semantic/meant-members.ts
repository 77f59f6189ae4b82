import { nearest } from '../../foundation/diagnostics/nearest.ts';

const SHOWN_MAX = 6;

/** What may be meant by a word alone: members of that name, metrics whose names have it in them, else what is called almost so. */
export function meantBy(
  word: string,
  { members, metrics }: { readonly members: readonly string[]; readonly metrics: readonly string[] },
): string | undefined {
  const wanted = word.toLowerCase();
  const nameOf = (member: string): string => member.slice(member.lastIndexOf('.') + 1).toLowerCase();
  const same = members.filter((member) => nameOf(member) === wanted);
  const holding = metrics.filter((name) => wanted.length > 2 && name.toLowerCase().includes(wanted));
  const close = nearest(word, metrics) ?? nearest(word, members.map(nameOf));
  const near = [...metrics, ...members].filter(
    (name) => close !== undefined && [name, nameOf(name)].includes(close),
  );
  const found = [
    ...new Set([...same, ...holding.toSorted(), ...(same.length + holding.length > 0 ? [] : near)]),
  ];
  return found.length === 0 ? undefined : `did you mean ${listed(found, 'or')}?`;
}

/** Names for a message, the first of many. */
export function listed(names: readonly string[], last = 'and'): string {
  const shown = names.slice(0, SHOWN_MAX);
  if (names.length > SHOWN_MAX) return `${shown.join(', ')} ${last} ${names.length - SHOWN_MAX} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} ${last} ${shown.at(-1)}`;
}
