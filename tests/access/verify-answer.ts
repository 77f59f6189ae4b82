/* What an answer is held to. */
import type { Observed } from './observe.ts';
import type { View } from './oracle.ts';
import { comparable, type Expected } from './questions.ts';
import { everyName, everyToken, shownNames, shownTokens, type Told } from './scan.ts';
import { tokensIn } from './world.ts';

/** What is wrong; nothing when all is well. */
export type Problems = readonly string[];

/** What an answer shows that the caller may not know. */
export function leaks(views: readonly View[], told: Told, { said = '', withNames = true } = {}): Problems {
  const [first] = views;
  if (first === undefined) throw new Error('nobody looks');
  const { world } = first;
  const seen = [...shownTokens(told, everyToken(world), said)].filter(
    (token) => !views.some((view) => view.tokens().has(token)),
  );
  const named = withNames
    ? [...shownNames(told, everyName(world), said)].filter(
        (name) => !views.some((view) => view.names().has(name)),
      )
    : [];
  return [
    ...(seen.length === 0
      ? []
      : [`shows ${seen.slice(0, 5).join(', ')}${seen.length > 5 ? ` and ${seen.length - 5} more` : ''}`]),
    ...(named.length === 0 ? [] : [`names ${named.slice(0, 5).join(', ')}`]),
  ];
}

/** `areMasksNull`: where a join finds nothing a mask stands there or NULL, and both tell nothing. */
export function verifyAnswer(
  view: View,
  expected: Expected,
  observed: Observed,
  said: string,
  areMasksNull = false,
): Problems {
  const { told, status, code, rows, isFailed, isAnswered } = observed;
  const found = [...leaks([view], told, { said })];
  const answer = `${status} ${code}`.trim();
  switch (expected.kind) {
    case 'open':
      if (status >= 500) found.push(`is ${answer}`);
      break;
    case 'absent':
      if (status < 400 || status >= 500) found.push(`should not be there, is ${answer}`);
      break;
    case 'failed':
      if (isFailed !== true && isAnswered !== true) found.push(`should have failed, is ${answer}`);
      break;
    case 'environment':
      if (!answer.includes('policy.environment')) found.push(`should be policy.environment, is ${answer}`);
      break;
    case 'refused': {
      if (rows !== undefined || isAnswered || isFailed) {
        found.push('is answered and should be refused');
        break;
      }
      if (!isRefusal(code)) found.push(`should be refused by a policy, is ${answer}`);
      const shown = shownTokens(told, everyToken(view.world), said);
      if (shown.size > 0) found.push(`is refused and tells ${[...shown].slice(0, 3).join(', ')}`);
      break;
    }
    case 'rows': {
      if (isAnswered) {
        // Some formats are looked through instead of read.
        break;
      }
      if (rows === undefined) found.push(`should have ${expected.rows.length} rows, is ${answer}`);
      else {
        const [is, should] = [rows, expected.rows].map((each) =>
          comparable(areMasksNull ? each.map((row) => row.map(withoutMask)) : each).join(' '),
        );
        if (is !== should) found.push(`has other rows: ${is} instead of ${should}`);
      }
      break;
    }
  }
  return found;
}

/** Doors that do not know a name say so: to a token that reads no models there are none, and a rollup is not one to anybody. */
const isRefusal = (code: string): boolean =>
  /^(?:policy\.|graphql\.|semantic\.sql-unknown-table$|query\.function-not-allowed$)/.test(code);

const withoutMask = (cell: unknown): unknown => (cell === 'masked' || String(cell) === '0' ? null : cell);

/** Whether cells of rows are in an answer whose rows cannot be read here. */
export function lacks(expected: Expected, told: Told, known: ReadonlySet<string>): Problems {
  if (expected.kind !== 'rows') return [];
  const shown = shownTokens(told, known);
  const missing = expected.rows
    .flat()
    .flatMap((cell) => (cell === null ? [] : tokensIn(String(cell))))
    .filter((token) => known.has(token) && !shown.has(token));
  return missing.length === 0 ? [] : [`lacks ${missing.slice(0, 3).join(', ')}`];
}
