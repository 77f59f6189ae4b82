import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessIn } from '../missing-words.ts';

export const measureWithoutDescription = missingWords('lint.measure-without-description', {
  why: 'A measure without a description is read in as many ways as it has readers.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml':
        'kind: semantic\nname: a\ndepends_on: marts.a\nmeasures:\n  - {name: «total», type: sum, expression: "{amount}"}\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml':
        'kind: semantic\nname: a\ndepends_on: marts.a\nmeasures:\n  - {name: total, type: sum, expression: "{amount}", description: In euro}\n',
    },
    unless: [
      {
        because: 'what is not public is for authors',
        files: {
          ...EXAMPLE_MODEL,
          'models/semantics/a.yml':
            'kind: semantic\nname: a\ndepends_on: marts.a\nmeasures:\n  - {name: total, type: sum, expression: "{amount}", public: false}\n',
        },
      },
    ],
  },
  wordless: ({ semanticModels }) =>
    semanticModels.flatMap((model) =>
      model.measures
        .filter(({ description, isPublic }) => isPublic && !hasWords(description))
        .map(({ name }) => wordlessIn(model.file, name, model.name.value)),
    ),
});
