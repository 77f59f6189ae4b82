import type { ParameterType, ParameterValue, PerspectiveParameter } from '../../../domain/perspective.ts';

const TEXT_MAX = 10_000;
const LIST_MAX = 1_000;
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** What a value must be, in words that follow "must be". */
const WANTED: Readonly<Record<ParameterType, string>> = {
  text: `text of at most ${TEXT_MAX} characters`,
  number: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2025-01-31',
  timestamp: 'a time such as 2025-01-31T12:00:00Z',
};

/** A value, or several for a list, as a question takes it; or what it must be. */
export type CheckedValue =
  | { readonly ok: true; readonly value: ParameterValue | readonly ParameterValue[] }
  | { readonly ok: false; readonly wanted: string };

/** JSON of a value for a parameter. A text is never read as anything but a text. */
export function parameterValue(
  { type, isList, allowed }: Pick<PerspectiveParameter, 'type' | 'isList' | 'allowed'>,
  given: unknown,
): CheckedValue {
  if (isList !== true) {
    if (!isOf(type, given)) return { ok: false, wanted: WANTED[type] };
    return allowed === undefined || allowed.includes(given)
      ? { ok: true, value: given }
      : { ok: false, wanted: oneOf(allowed) };
  }
  const values: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (values.length === 0 || values.length > LIST_MAX)
    return { ok: false, wanted: `a list of 1 to ${LIST_MAX} values` };
  const checked = values.map((each) =>
    parameterValue({ type, ...(allowed === undefined ? {} : { allowed }) }, each),
  );
  const wrong = checked.find(({ ok }) => !ok);
  if (wrong?.ok === false) return { ok: false, wanted: `a list, each of it ${wrong.wanted}` };
  return { ok: true, value: values as readonly ParameterValue[] };
}

const oneOf = (allowed: readonly ParameterValue[]): string =>
  `one of ${allowed
    .slice(0, 20)
    .map((each) => JSON.stringify(each))
    .join(', ')}${allowed.length > 20 ? ', …' : ''}`;

function isOf(type: ParameterType, given: unknown): given is ParameterValue {
  switch (type) {
    case 'text':
      return typeof given === 'string' && given.length <= TEXT_MAX && !given.includes('\0');
    case 'number':
      return (
        typeof given === 'number' &&
        Number.isFinite(given) &&
        (!Number.isInteger(given) || Number.isSafeInteger(given))
      );
    case 'boolean':
      return typeof given === 'boolean';
    case 'date':
      return typeof given === 'string' && given.length === 10 && isTime(given);
    case 'timestamp':
      return typeof given === 'string' && isTime(given);
  }
}

/** A day that the calendar has. */
function isTime(text: string): boolean {
  if (!TIME.test(text)) return false;
  const day = text.slice(0, 10);
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) && !Number.isNaN(Date.parse(text));
}

/** A value to try a question with, when none is given. */
export function sampleValue({
  type,
  isList,
  allowed,
  default: own,
}: PerspectiveParameter): ParameterValue | readonly ParameterValue[] {
  if (own !== undefined) return own;
  const samples: Readonly<Record<ParameterType, ParameterValue>> = {
    text: 'today',
    number: 1,
    boolean: true,
    date: '2025-01-31',
    timestamp: '2025-01-31T12:00:00Z',
  };
  const one = allowed?.[0] ?? samples[type];
  return isList === true ? [one] : one;
}
