import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formattedNumber } from './formatted-number.ts';

test.each([
  ['1234567.5', 'currency', '1,234,567.50'],
  ['0.005', 'currency', '0.01'],
  ['-0.004', 'currency', '0.00'],
  ['-1234.565', 'currency', '-1,234.57'],
  ['9007199254740993.15', 'currency', '9,007,199,254,740,993.15'],
  [0.0312, 'percent', '3.1 %'],
  ['1', 'percent', '100.0 %'],
  [1e21, 'currency', '1,000,000,000,000,000,000,000.00'],
  [1.5e-7, 'currency', '0.00'],
  [1.5e-7, 'percent', '0.0 %'],
  ['12345', 'number', '12,345'],
])('%s as %s is %s', (value, format, shown) => expect(formattedNumber(value, format)).toBe(shown));

test.each([
  [null, 'currency'],
  ['NaN', 'currency'],
  ['Infinity', 'percent'],
  ['12345', 'id'],
  ['1.5', undefined],
])('%s with the format %s stays as it is', (value, format) =>
  expect(formattedNumber(value, format)).toBeUndefined(),
);

test('a currency is the nearest hundredth', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (thousandths) => {
      const sign = thousandths < 0n ? '-' : '';
      const digits = String(thousandths < 0n ? -thousandths : thousandths).padStart(4, '0');
      const text = `${sign}${digits.slice(0, -3)}.${digits.slice(-3)}`;
      const shown = BigInt((formattedNumber(text, 'currency') as string).replaceAll(/[,.]/g, ''));
      const distance = shown * 10n - thousandths;
      return distance >= -5n && distance <= 5n;
    }),
  );
});
