/**
 * Formats of Soda by name. Those that our rules know too become `valid_format`; the others are written as the pattern
 * that says the same.
 */
const SPACES = ' *';
const NUMBER = String.raw`(\d+([.,]\d+)?|[.,]\d+)`;
const POINT = String.raw`(\d+(\.\d+)?|\.\d+)`;
const COMMA = String.raw`(\d+(,\d+)?|,\d+)`;
const ZERO = `(0+([.,]0+)?|[.,]0+)`;
const ZERO_POINT = String.raw`(0+(\.0+)?|\.0+)`;
const ZERO_COMMA = `(0+(,0+)?|,0+)`;
const HOUR_24 = '([01]?[0-9]|2[0-3])';
const HOUR_12 = '(0?[0-9]|1[0-2])';
const MINUTE = '[0-5]?[0-9]';
const SECOND = String.raw`[0-5]?[0-9]([.,]\d+)?`;
const DAY = '(0?[1-9]|[12][0-9]|3[01])';
const MONTH = '(0?[1-9]|1[012])';
const YEAR = String.raw`([12][0-9])?\d\d`;

const whole = (pattern: string): string => `^${SPACES}${pattern}${SPACES}$`;

/** The three signs of a number format: any, positive, negative. */
function signed(
  name: string,
  number: string,
  zero: string,
  end = '',
): readonly (readonly [string, string])[] {
  return [
    [name, whole(`[-+]?${SPACES}${number}${end}`)],
    [`positive ${name}`, whole(String.raw`\+?${SPACES}${number}${end}`)],
    [`negative ${name}`, whole(`(-${SPACES}${number}|${zero})${end}`)],
  ];
}

/** Named alike in our rules; what they accept can differ at the edges. */
export const SODA_FORMATS_OURS: Readonly<Record<string, string>> = {
  email: 'email',
  'phone number': 'phone',
  uuid: 'uuid',
  'ip address': 'ip',
  'ipv4 address': 'ipv4',
  'ipv6 address': 'ipv6',
  'credit card number': 'credit card',
  'date iso 8601': 'date iso 8601',
};

export const SODA_FORMAT_PATTERNS: Readonly<Record<string, string>> = Object.fromEntries([
  ...signed('integer', '[0-9]+', '0+'),
  ...signed('decimal', NUMBER, ZERO),
  ...signed('decimal point', POINT, ZERO_POINT),
  ...signed('decimal comma', COMMA, ZERO_COMMA),
  ...signed('percentage', NUMBER, ZERO, `${SPACES}%`),
  ...signed('percentage point', POINT, ZERO_POINT, `${SPACES}%`),
  ...signed('percentage comma', COMMA, ZERO_COMMA, `${SPACES}%`),
  ['money', whole(`[-+]?${SPACES}${NUMBER}${SPACES}([A-Z]{3}|[a-z]{3})`)],
  ['money point', whole(String.raw`[-+]?${SPACES}\d{1,3}(,\d\d\d)*(.\d+)?${SPACES}([A-Z]{3}|[a-z]{3})`)],
  ['money comma', whole(String.raw`[-+]?${SPACES}\d{1,3}(\.\d\d\d)*(,\d+)?${SPACES}([A-Z]{3}|[a-z]{3})`)],
  ['date us', whole(`${MONTH}[-./]${DAY}[-./]${YEAR}`)],
  ['date eu', whole(`${DAY}[-./]${MONTH}[-./]${YEAR}`)],
  ['date inverse', whole(`${YEAR}[-./]${MONTH}[-./]${DAY}`)],
  ['time 24h', whole(`${HOUR_24}:${MINUTE}(:${SECOND})?`)],
  ['time 24h nosec', whole(`${HOUR_24}:${MINUTE}`)],
  ['time 12h', whole(`${HOUR_12}:${MINUTE}(:${SECOND})?`)],
  ['time 12h nosec', whole(`${HOUR_12}:${MINUTE}`)],
  ['timestamp 24h', whole(`${HOUR_24}:${MINUTE}:${SECOND}`)],
  ['timestamp 12h', whole(`${HOUR_12}:${MINUTE}:${SECOND}`)],
]);

/** The pattern of a format for settings that take only a pattern; undefined for those without one here. */
export function sodaFormatPattern(name: string): string | undefined {
  const key = name.trim().toLowerCase();
  return Object.hasOwn(SODA_FORMAT_PATTERNS, key) ? SODA_FORMAT_PATTERNS[key] : undefined;
}
