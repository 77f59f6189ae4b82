import { includesRole, roleNamed } from '../../../domain/permissions.ts';
import type { AccessEntry, WiderAccess } from '../../../domain/wider-access.ts';

type Key = Exclude<keyof AccessEntry, 'principal'>;

const KEYS: readonly Key[] = ['role', 'models', 'environments', 'policies', 'groups'];

/** Everything that config.yaml gives and did not give when the environment was applied, by principal. */
export function widerGrants(
  before: readonly AccessEntry[],
  after: readonly AccessEntry[],
): readonly WiderAccess[] {
  const [old, now] = [byPrincipal(before), byPrincipal(after)];
  return [...now].flatMap(([principal, given]) =>
    KEYS.flatMap((name): readonly WiderAccess[] => {
      const [had, has] = [old.get(principal)?.get(name) ?? [], given.get(name) ?? []];
      if (has.every((value) => isGivenBy(name, value, had))) return [];
      const reason = name === 'groups' ? 'users in config.yaml' : 'access in config.yaml';
      return [{ kind: 'access', who: principal, name, reason, before: had, after: has }];
    }),
  );
}

function isGivenBy(name: Key, value: string, had: readonly string[]): boolean {
  if (name !== 'role') return had.includes(value);
  const asked = roleNamed(value);
  // A role that is not known includes all others and is in none of them: it cannot be proven to be less.
  return had.some((text) => {
    const role = roleNamed(text);
    return text === value || role === undefined || (asked !== undefined && includesRole(role, asked));
  });
}

function byPrincipal(
  entries: readonly AccessEntry[],
): ReadonlyMap<string, ReadonlyMap<Key, readonly string[]>> {
  const found = new Map<string, Map<Key, string[]>>();
  for (const entry of entries) {
    const own = found.get(entry.principal) ?? new Map<Key, string[]>();
    found.set(entry.principal, own);
    for (const name of KEYS) {
      const value = entry[name];
      const values = value === undefined ? [] : typeof value === 'string' ? [value] : value;
      const given = values.map((each) => (name === 'role' ? (roleNamed(each) ?? each) : each));
      if (given.length > 0) own.set(name, [...new Set([...(own.get(name) ?? []), ...given])].sort());
    }
  }
  return found;
}
