import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessIn } from '../missing-words.ts';

export const dqWithoutOwner = missingWords('lint.dq-without-owner', {
  why: 'A failing check without an owner stays red.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'dq/a.yml': 'kind: dq\nname: «a_dq»\ndepends_on: marts.a\nrules:\n  - row_count > 0\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'dq/a.yml': 'kind: dq\nname: a_dq\ndepends_on: marts.a\nowner: mara\nrules:\n  - row_count > 0\n',
    },
    unless: [
      {
        because: 'each check has an owner of its own',
        files: {
          ...EXAMPLE_MODEL,
          'dq/a.yml':
            'kind: dq\nname: a_dq\ndepends_on: marts.a\nrules:\n  - row_count > 0: {name: rows, owner: mara}\n',
        },
      },
    ],
  },
  wordless: ({ dqPacks }) =>
    dqPacks
      .filter(({ owner, rules }) => !hasWords(owner) && !rules.every((rule) => hasWords(rule.owner)))
      .map(({ name, file }) => wordlessIn(file, name)),
});
