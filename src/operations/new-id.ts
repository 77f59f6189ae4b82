import { randomByte } from '../foundation/random-byte.ts';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id that sorts by the time it was made: `p_` for plans, `r_` for runs, `v_` for promotions, `s_` for statements, `w_` for what works on them, `u_` for principals, `k_` for tokens, `a_` for access requests, `c_` for check runs, `i_` for incidents, `o_` for profiles, `n_` for channels and rules of notifications, `x_` for perspectives; ten digits of time and six of chance, none of them easily confused. */
export function newId(
  prefix: 'p' | 'r' | 'v' | 's' | 'w' | 'u' | 'k' | 'a' | 'c' | 'i' | 'o' | 'n' | 'x',
  now: number,
): string {
  let chance = '';
  for (let i = 0; i < 6; i++) chance += DIGITS[randomByte() % 32];
  return `${prefix}_${timeDigits(now)}${chance}`;
}

/** What ids that were made at this time or later are not less than. */
export const firstIdAt = (prefix: 'c' | 'o', at: number): string => `${prefix}_${timeDigits(at)}`;

function timeDigits(at: number): string {
  let time = '';
  for (let rest = at, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = DIGITS[rest % 32] + time;
  return time;
}
