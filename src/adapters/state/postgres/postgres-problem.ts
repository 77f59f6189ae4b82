/** What PostgreSQL, or the way to it, complains about: repeated, or told with the gateway's name and the next step. */
import type { Failing } from '../sql/repeat-transaction.ts';
import { StateProblem, type StateProblemCode } from '../sql/state-problem.ts';

/** What messages say of a state. */
export interface PostgresPlace {
  readonly gateway: string;
  /** Without user and password. */
  readonly place: string;
  readonly user: string;
}

export const STANDBY = 'the server is a standby';

const LOST =
  /^(?:57P0[123]|08\w{3}|ECONNRESET|EPIPE|ETIMEDOUT|ECONNREFUSED|ECONNABORTED|ENOENT|EHOSTUNREACH|ENETUNREACH)$/;
// What `pg` says without a code.
const LOST_WORDS =
  /Connection terminated|connection was lost|Client has encountered a connection error|not queryable|timeout expired|Query read timeout|cached plan must not change/;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '');
const messageOf = (error: unknown): string => (error as Error).message || codeOf(error);

export function failingOf(error: unknown): Failing {
  const code = codeOf(error);
  // A key that another transaction took since this one looked is a race, too.
  if (code === '40001' || code === '40P01' || code === '23505') return 'raced';
  if (code === '53300') return 'busy';
  return LOST.test(code) || LOST_WORDS.test(messageOf(error)) ? 'lost' : 'refused';
}

/** What code, routine and words of a complaint mean, and what is said in place of its words. */
const MEANINGS: readonly (readonly [RegExp, StateProblemCode, string?])[] = [
  // What `pg` says without a code.
  [/client password must be/, 'state.login-refused', 'the password is empty'],
  // A host or a database of that name does not exist; the certificate is not trusted; the server speaks no TLS.
  [
    /^(?:ENOTFOUND|EAI_AGAIN|3D000|ERR_TLS|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_)|SSL/,
    'state.cannot-connect',
  ],
  [/^28/, 'state.login-refused'],
  // Without the right to use the schema it is as if there were none.
  [/^(?:42501|3F000) /, 'state.no-rights'],
  [/^25006 /, 'state.read-only'],
  // A standby refuses SERIALIZABLE.
  [/^0A000 call_enum_check_hook /, 'state.read-only', STANDBY],
  [/^53300 /, 'state.too-many-connections'],
  [/^(?:53100 |53200 |58)/, 'state.write-failed'],
  // 42P07: a table of another program has the name of one of the state's.
  [/^(?:XX00|42P01 |42P07 )/, 'state.unreadable'],
];

/** As a problem that names the gateway; anything else is left as it is. */
export function postgresProblem(
  error: unknown,
  { gateway, place, user }: PostgresPlace,
  isOpen = true,
): unknown {
  if (error instanceof StateProblem || !(error instanceof Error)) return error;
  const { routine = '' } = error as { routine?: string };
  const lost = isOpen ? 'state.connection-lost' : 'state.cannot-connect';
  const [, found, detail = messageOf(error)] =
    failingOf(error) === 'lost'
      ? ([undefined, lost] as const)
      : (MEANINGS.find(([of]) => of.test(`${codeOf(error)} ${routine} ${messageOf(error)}`)) ?? []);
  return found === undefined
    ? error
    : new StateProblem(found, { gateway, file: place, place, user, detail }, { cause: error });
}
