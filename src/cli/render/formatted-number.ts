/** A number of an answer for eyes, by the `format` of its member; decimals are rounded on their digits, never through a floating number. */
export function formattedNumber(value: unknown, format: string | undefined): string | undefined {
  if (value === null || value === undefined || typeof value === 'object' || typeof value === 'boolean')
    return undefined;
  const text = plainDigits(String(value));
  if (text === undefined) return undefined;
  switch (format) {
    case 'currency':
      return grouped(rounded(text, 2));
    case 'percent':
      return `${grouped(rounded(shifted(text, 2), 1))} %`;
    case 'number':
      return grouped(text);
    default:
      return undefined;
  }
}

/** `1e21` and `1.5e-7` written out; undefined for what is not a finite number. */
function plainDigits(text: string): string | undefined {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const [, sign, whole, fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return sign + shifted(fraction === '' ? whole : `${whole}.${fraction}`, Number(exponent));
}

/** Times ten to a power, by moving the point. */
function shifted(text: string, places: number): string {
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = text.slice(sign.length).split('.');
  const digits = `${'0'.repeat(Math.max(0, -places))}${whole}${fraction}${'0'.repeat(Math.max(0, places))}`;
  const point = Math.max(0, -places) + whole.length + places;
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const right = digits.slice(point).replace(/0+$/, '');
  return sign + left + (right === '' ? '' : `.${right}`);
}

/** To so many digits behind the point, halves away from zero. */
function rounded(text: string, places: number): string {
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '0', fraction = ''] = text.slice(sign.length).split('.');
  const kept = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'));
  const up = (fraction[places] ?? '0') >= '5' ? 1n : 0n;
  const digits = String(kept + up).padStart(places + 1, '0');
  const split = digits.length - places;
  const isZero = /^0+$/.test(digits);
  return `${isZero ? '' : sign}${digits.slice(0, split)}${places === 0 ? '' : `.${digits.slice(split)}`}`;
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const parts = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? parts : `${parts}.${fraction}`;
}
