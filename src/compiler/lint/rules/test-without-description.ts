import { rangeOf } from '../../../foundation/yaml/located.ts';
import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords } from '../missing-words.ts';

export const testWithoutDescription = missingWords('lint.test-without-description', {
  why: 'What a test pins down is easier to keep when it is said.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'tests/test_a.yaml':
        '«test_a»:\n  model: marts.a\n  inputs:\n    raw.orders: [{order_id: 1, status: paid}]\n  outputs:\n    query: [{order_id: 1, amount: null, status: paid, order_date: null}]\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'tests/test_a.yaml':
        'test_a:\n  model: marts.a\n  description: An order stays what it is.\n  inputs:\n    raw.orders: [{order_id: 1, status: paid}]\n  outputs:\n    query: [{order_id: 1, amount: null, status: paid, order_date: null}]\n',
    },
  },
  wordless: ({ tests }) =>
    tests
      .filter(({ description }) => !hasWords(description))
      .map(({ name, file, start, end }) => ({ name, at: rangeOf(file, { start, end }) })),
});
