import { expect, test } from 'vitest';
import { type DescribedTable, generatedNames, withGeneratedEntries } from './write-external-models.ts';

const orders: DescribedTable = {
  name: 'raw.orders',
  columns: [
    { name: 'order_id', type: 'BIGINT' },
    { name: 'on', type: 'DECIMAL(10,2)' },
    { name: 'a: b', type: 'STRUCT(a INTEGER, "b c" VARCHAR)' },
  ],
};
const always = (): boolean => true;
const never = (): boolean => false;

test('an empty file gets a head and an entry for each table', () => {
  const text = withGeneratedEntries('', [orders], never);
  expect(text.replace(/[0-9a-z]{8}$/m, 'HASH')).toBe(
    [
      '# Tables that models read and no model makes. `plinth external` writes the entries that are marked so;',
      '# change or add an entry, and it is yours: it stays as it is.',
      '- name: raw.orders # plinth external HASH',
      '  columns:',
      '    order_id: BIGINT',
      '    "on": DECIMAL(10,2)',
      '    "a: b": "STRUCT(a INTEGER, \\"b c\\" VARCHAR)"',
      '',
    ].join('\n'),
  );
  expect(generatedNames(text)).toEqual(['raw.orders']);
  expect(withGeneratedEntries(text, [orders], never)).toBe(text);
});

test('a generated entry is brought up to date in its place, and goes when it is not kept', () => {
  const other = { name: '"Odd Name".t', columns: [{ name: 'a', type: 'INTEGER' }] };
  const text = withGeneratedEntries('', [other, orders], never);
  const wider = { ...other, columns: [...other.columns, { name: 'b', type: 'DATE' }] };
  const updated = withGeneratedEntries(text, [orders, wider], never);
  expect(generatedNames(updated)).toEqual(['"Odd Name".t', 'raw.orders']);
  expect(updated).toContain('    b: DATE\n- name: raw.orders');
  expect(withGeneratedEntries(updated, [], always)).toBe(updated);
  expect(generatedNames(withGeneratedEntries(updated, [orders], never))).toEqual(['raw.orders']);
});

test.each([
  ['by hand', '# mine\n- name: raw.users\n  columns: {id: int}\n  # the end\n'],
  ['moved in', '  - name: raw.users\n    columns:\n      id: int\n'],
  ['with document marks', '---\n- name: raw.users\n'],
  ['with only comments', '# nothing yet\n'],
])('what the user wrote %s stays, entries come behind it', (_, text) => {
  const written = withGeneratedEntries(text, [orders], never);
  expect(written.startsWith(text)).toBe(true);
  expect(generatedNames(written)).toEqual(['raw.orders']);
  expect(withGeneratedEntries(written, [orders], never)).toBe(written);
});

test('a generated entry that was changed by hand belongs to the user', () => {
  const text = withGeneratedEntries('', [orders], never);
  const changed = text.replace('  columns:', '  description: All orders.\n  columns:');
  expect(generatedNames(changed)).toEqual([]);
  expect(withGeneratedEntries(changed, [], never)).toBe(changed);
});

test('a list in brackets, or another text, cannot be added to; an empty list can', () => {
  expect(generatedNames('[{name: raw.users}]\n')).toBeUndefined();
  expect(generatedNames('name: raw.users\n')).toBeUndefined();
  expect(withGeneratedEntries('[]\n', [orders], never)).toMatch(/^- name: raw.orders/);
});
