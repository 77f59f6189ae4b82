import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessIn } from '../missing-words.ts';

export const metricWithoutDescription = missingWords('lint.metric-without-description', {
  why: 'A metric without a description is read in as many ways as it has readers.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml':
        'kind: semantic\nname: a\ndepends_on: marts.a\nmeasures:\n  - {name: total, type: sum, expression: "{amount}", description: All of it}\n',
      'models/metrics/m.yml':
        'kind: metric\nname: «turnover»\ntype: simple\nmeasure: a.total\nts: a.order_date\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml':
        'kind: semantic\nname: a\ndepends_on: marts.a\nmeasures:\n  - {name: total, type: sum, expression: "{amount}", description: All of it}\n',
      'models/metrics/m.yml':
        'kind: metric\nname: turnover\ntype: simple\nmeasure: a.total\nts: a.order_date\ndescription: Sum of all orders\n',
    },
  },
  wordless: ({ metrics }) =>
    metrics
      .filter(({ description }) => !hasWords(description))
      .map(({ name, file }) => wordlessIn(file, name)),
});
