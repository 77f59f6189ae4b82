import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessIn } from '../missing-words.ts';

export const segmentWithoutDescription = missingWords('lint.segment-without-description', {
  why: 'A named filter hides a condition: its description says which.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml':
        'kind: semantic\nname: a\ndepends_on: marts.a\nsegments:\n  - {name: «total», expression: "{amount} > 0"}\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml':
        'kind: semantic\nname: a\ndepends_on: marts.a\nsegments:\n  - {name: total, expression: "{amount} > 0", description: In euro}\n',
    },
    unless: [
      {
        because: 'what is not public is for authors',
        files: {
          ...EXAMPLE_MODEL,
          'models/semantics/a.yml':
            'kind: semantic\nname: a\ndepends_on: marts.a\nsegments:\n  - {name: total, expression: "{amount} > 0", public: false}\n',
        },
      },
    ],
  },
  wordless: ({ semanticModels }) =>
    semanticModels.flatMap((model) =>
      model.segments
        .filter(({ description, isPublic }) => isPublic && !hasWords(description))
        .map(({ name }) => wordlessIn(model.file, name, model.name.value)),
    ),
});
