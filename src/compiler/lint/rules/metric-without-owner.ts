import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessIn } from '../missing-words.ts';

export const metricWithoutOwner = missingWords('lint.metric-without-owner', {
  why: 'Who answers for a number should be written where it is defined.',
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
        'kind: metric\nname: turnover\ntype: simple\nmeasure: a.total\nts: a.order_date\nowner: mara\n',
    },
  },
  wordless: ({ metrics }) =>
    metrics.filter(({ owner }) => !hasWords(owner)).map(({ name, file }) => wordlessIn(file, name)),
});
