import { expect, test } from 'vitest';
import { marked } from '../../../../tests/support/marked-source.ts';
import { checkUsage, loadUsage } from './usage.ts';

const load = (text: string) => loadUsage({ path: 'usage.yaml', text });

test('statements are texts or maps, references titles or maps', () => {
  const { usage, diagnostics } = load(
    'good_for:\n  - Revenue by day\nnot_for: [{text: Accounting, applies_to: marts.orders}]\nreferences: [Wiki, {title: Guide, url: README.md}]\n',
  );
  expect(diagnostics).toEqual([]);
  expect(usage).toMatchObject({
    goodFor: [{ text: 'Revenue by day', appliesTo: [] }],
    notFor: [{ text: 'Accounting', appliesTo: ['marts.orders'] }],
    caveats: [],
    references: [{ title: 'Wiki' }, { title: 'Guide', url: 'README.md' }],
  });
});

test('yaml.unknown-key is marked', () => {
  const { text, range } = marked('«goodfor»: [x]');
  expect(load(text).diagnostics).toMatchObject([
    { code: 'yaml.unknown-key', at: range, hint: 'did you mean good_for?' },
  ]);
});

test('usage.unknown-subject is marked at the statement', () => {
  const { text, range } = marked('caveats: [«{text: Careful, applies_to: [orders, marts.x]}»]');
  const { usage } = load(text);
  if (usage === undefined) throw new Error('not read');
  expect(checkUsage(usage, new Set(['orders'])).map((each) => [each.code, each.at])).toEqual([
    ['usage.unknown-subject', { file: 'usage.yaml', ...range }],
  ]);
});
