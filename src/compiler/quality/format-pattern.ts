/*
 * What `valid_format` means: a regular expression over the whole value, in the syntax that the engines share (no look-around,
 * no back-references). Formats check the form only: no Luhn sum, no calendar, no list of countries.
 */

const DAY = '(?:0?[1-9]|[12][0-9]|3[01])';
const MONTH = '(?:0?[1-9]|1[0-2])';
const YEAR = '(?:[0-9]{4}|[0-9]{2})';
const BETWEEN_DATE = '[-./]';
const HOURS_24 = '(?:[01]?[0-9]|2[0-3])';
const HOURS_12 = '(?:0?[0-9]|1[0-2])';
const SIXTY = '[0-5]?[0-9]';
const SECONDS = `${SIXTY}(?:[.,][0-9]+)?`;
const HALF_OF_DAY = '(?: ?[AaPp][Mm])?';
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;
const ISO_DATE = '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])';
const ISO_TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?';
const ISO_ZONE = '(?:Z|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)';
const ISO_DAY =
  '[0-9]{4}(?:-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12][0-9]|3[01])|-?W[0-5][0-9](?:-?[1-7])?|-?[0-3][0-9]{2})';

const POINT = '(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)';
const COMMA = '(?:[0-9]+(?:,[0-9]+)?|,[0-9]+)';
const EITHER = '(?:[0-9]+(?:[.,][0-9]+)?|[.,][0-9]+)';
const ZERO = '0+(?:[.,]0+)?';

/** Any sign, not negative, not positive: of a number's pattern. */
const signed = (number: string): string => `[-+]? *${number}`;
const positive = (number: string): string => `\\+? *${number}`;
const negative = (number: string): string => `(?:- *${number}|${ZERO})`;

/** The colons of IPv6: eight groups, or `::` for any that are left out. */
function ipv6(): string {
  const group = '[0-9A-Fa-f]{1,4}';
  const forms = [`(?:${group}:){7}${group}`, `(?:${group}:){1,7}:`, `:(?::${group}){1,7}`, '::'];
  for (let before = 1; before <= 6; before++)
    forms.push(`(?:${group}:){${before}}(?::${group}){1,${7 - before}}`);
  forms.push(`(?:${group}:){6}${IPV4}`, `::(?:${group}:){0,5}${IPV4}`);
  for (let before = 1; before <= 4; before++)
    forms.push(`(?:${group}:){${before}}(?::${group}){0,${4 - before}}:${IPV4}`);
  return `(?:${forms.join('|')})(?:%[0-9A-Za-z]+)?`;
}

const numbers = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (
      [
        ['integer', '[0-9]+', ''],
        ['decimal', EITHER, ''],
        ['decimal point', POINT, ''],
        ['decimal comma', COMMA, ''],
        ['percentage', EITHER, ' *%'],
        ['percentage point', POINT, ' *%'],
        ['percentage comma', COMMA, ' *%'],
      ] as const
    ).flatMap(([name, number, end]) => [
      [name, `${signed(number)}${end}`],
      [`positive ${name}`, `${positive(number)}${end}`],
      [`negative ${name}`, `${negative(number)}${end}`],
    ]),
  );

/** ASCII letters and everything beyond ASCII. */
const LETTER = 'A-Za-z\u00a1-\u{10ffff}';
const LABEL = `[${LETTER}0-9](?:[${LETTER}0-9-]*[${LETTER}0-9])?`;
const CURRENCY = ' *(?:[A-Za-z]{3}|[€$£¥])?';

/** The pattern of the whole value, by format. */
const PATTERNS: Readonly<Record<string, string>> = {
  ...numbers(),
  number: '[-+]? *(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?',
  money: `[-+]? *(?:[A-Za-z]{3} +|[€$£¥] *)?(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\\.[0-9]+)?|[0-9]{1,3}(?:\\.[0-9]{3})+(?:,[0-9]+)?|${EITHER})${CURRENCY}`,
  'money point': `[-+]? *(?:[A-Za-z]{3} +|[€$£¥] *)?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\\.[0-9]+)?${CURRENCY}`,
  'money comma': `[-+]? *(?:[A-Za-z]{3} +|[€$£¥] *)?(?:[0-9]{1,3}(?:\\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?${CURRENCY}`,
  email: `[${LETTER}0-9.!#$%&'*+/=?^_\`{|}~-]+@(?:${LABEL}\\.)+[${LETTER}]{2,}`,
  url: '[Hh][Tt][Tt][Pp][Ss]?://(?:[^ \\t\\r\\n/?#@]+@)?(?:\\[[0-9A-Fa-f:.]+\\]|[^ \\t\\r\\n/?#:@\\[\\]]+)(?::[0-9]{1,5})?(?:[/?#][^ \\t\\r\\n]*)?',
  uuid: '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}',
  date: ISO_DATE,
  'date us': `${MONTH}${BETWEEN_DATE}${DAY}${BETWEEN_DATE}${YEAR}`,
  'date eu': `${DAY}${BETWEEN_DATE}${MONTH}${BETWEEN_DATE}${YEAR}`,
  'date inverse': `${YEAR}${BETWEEN_DATE}${MONTH}${BETWEEN_DATE}${DAY}`,
  'date iso 8601': `${ISO_DAY}(?:[ T]${ISO_TIME}(?:${ISO_ZONE})?)?`,
  timestamp: `${ISO_DATE}[ T]${ISO_TIME}(?: ?${ISO_ZONE})?`,
  'timestamp 24h': `${HOURS_24}:${SIXTY}:${SECONDS}`,
  'timestamp 12h': `${HOURS_12}:${SIXTY}:${SECONDS}${HALF_OF_DAY}`,
  time: `${HOURS_24}:${SIXTY}(?::${SECONDS})?${HALF_OF_DAY}`,
  'time 24h': `${HOURS_24}:${SIXTY}(?::${SECONDS})?`,
  'time 24h nosec': `${HOURS_24}:${SIXTY}`,
  'time 12h': `${HOURS_12}:${SIXTY}(?::${SECONDS})?${HALF_OF_DAY}`,
  'time 12h nosec': `${HOURS_12}:${SIXTY}${HALF_OF_DAY}`,
  phone: '(?:(?:\\+|00)[0-9]{1,3}[ .-]?)?(?:\\([0-9]{1,4}\\)[ .-]?)?[0-9]{1,4}(?:[ .-]?[0-9]{2,4}){1,5}',
  ip: `(?:${IPV4}|${ipv6()})`,
  ipv4: IPV4,
  ipv6: ipv6(),
  'credit card': '(?:[0-9]{13,19}|[0-9]{4}(?:[ -][0-9]{4}){3}|[0-9]{4}[ -][0-9]{6}[ -][0-9]{5})',
  country: '[A-Z]{2}(?:[A-Z])?',
  currency: '[A-Z]{3}',
  iban: '[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?',
  boolean: '(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Yy][Ee][Ss]|[Nn][Oo]|[01])',
};

/** Longer names that other tools use. */
const ALIASES: Readonly<Record<string, string>> = {
  'ip address': 'ip',
  'ipv4 address': 'ipv4',
  'ipv6 address': 'ipv6',
  'phone number': 'phone',
  'credit card number': 'credit card',
};

/** The regular expression of a format; undefined for one without (`json`), and for an unknown name. */
export function formatPattern(name: string): string | undefined {
  const plain = name.toLowerCase().replaceAll('_', ' ');
  const pattern = PATTERNS[ALIASES[plain] ?? plain];
  return pattern && `^(?:${pattern})$`;
}
