import { failure } from '../domain/failure.ts';
import { addDuration, parseDuration } from '../foundation/time/duration.ts';

/** The end that `--expires` names, counted from now; undefined without the option. */
export function expiryOf(values: ReadonlyMap<string, string>, now: number): number | undefined {
  const text = values.get('expires');
  if (text === undefined) return undefined;
  const duration = parseDuration(text.replace(/^(\d+)d$/, '$1 days'));
  const at = duration.kind === 'problem' ? Number.NaN : addDuration(now, duration);
  if (!(at > now))
    throw failure('cli.bad-value', {
      name: '--expires',
      value: text,
      expected: "a duration such as '90d' or '12 hours'",
    });
  return at;
}
