import { expect, test } from 'vitest';
import { marked } from '../../../../tests/support/marked-source.ts';
import { record } from '../../../foundation/yaml/collection-schemas.ts';
import { data } from '../../../foundation/yaml/scalar-schemas.ts';
import { readFile } from './read-file.ts';

test.each([
  ['yaml.too-deep', `a: ${'['.repeat(63)}«[»${']'.repeat(64)}`],
  ['yaml.too-many-aliases', `a: &a 1\nb: [${'*a, '.repeat(100)}«*a»]`],
  ['yaml.several-documents', 'a: 1\n«---»\nb: 2\n'],
  ['yaml.duplicate-key', 'a: 1\nb: {c: 1, «c»: 2}\n'],
  ['yaml.syntax', 'a: {b: «*x»}'],
  ['yaml.wrong-type', '«word»'],
  ['file.empty', '# nothing\n'],
  ['file.too-large', `«#»${'x'.repeat(1_048_576)}`],
])('%s is marked', (code, source) => {
  const { text, range } = marked(source);
  const { diagnostics } = readFile({ path: 'x.yaml', text }, record(data('anything'), { name: 'a map' }));
  expect(diagnostics.map((each) => [each.code, each.at])).toEqual([[code, { file: 'x.yaml', ...range }]]);
});
