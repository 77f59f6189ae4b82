import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessIn } from '../missing-words.ts';

export const semanticWithoutOwner = missingWords('lint.semantic-without-owner', {
  why: 'Who answers for the numbers should be written where they are defined.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml': 'kind: semantic\nname: «a»\ndepends_on: marts.a\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml': 'kind: semantic\nname: a\ndepends_on: marts.a\nowner: mara\n',
    },
  },
  wordless: ({ semanticModels }) =>
    semanticModels.filter(({ owner }) => !hasWords(owner)).map(({ name, file }) => wordlessIn(file, name)),
});
