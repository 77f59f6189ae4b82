import type { Config } from './config.ts';
import type { TestCaller } from './model-test.ts';
import { type Caller, OWNER } from './semantic-query.ts';

/** Who asks the query of a test, as a server would see them by `users` and `access` of config.yaml. */
export function callerOfTest(
  as: TestCaller | undefined,
  { users, access }: Pick<Config, 'users' | 'access'>,
): Caller {
  if (as === undefined) return OWNER;
  const name = as.principal?.value;
  const groups = [
    ...new Set([
      ...as.groups.map(({ value }) => value),
      ...users.flatMap((user) => (user.username === name ? user.groups : [])),
    ]),
  ];
  const names = new Set([
    ...(name === undefined ? [] : [name]),
    ...groups,
    ...groups.map((group) => `group:${group}`),
  ]);
  const given = access.filter(({ principal }) => names.has(principal));
  return {
    groups,
    isUnrestricted: given.some(({ isExempt }) => isExempt),
    models: new Set(given.flatMap(({ models }) => models.map(({ value }) => value))),
  };
}
