import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessIn } from '../missing-words.ts';

export const semanticWithoutModelDescription = missingWords('lint.semantic-without-model-description', {
  why: 'People and agents choose what to ask by its description.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml': 'kind: semantic\nname: «a»\ndepends_on: marts.a\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml':
        'kind: semantic\nname: a\ndepends_on: marts.a\ndescription: Orders with their amounts\n',
    },
    unless: [
      {
        because: 'the model that it shows is described',
        files: {
          'models/a.sql':
            "MODEL (name marts.a, kind FULL, description 'Orders', grain order_id);\nSELECT order_id, amount, status, order_date FROM raw.orders\n",
          'models/semantics/a.yml': 'kind: semantic\nname: a\ndepends_on: marts.a\n',
        },
      },
    ],
  },
  wordless: ({ models, semanticModels }) => {
    const described = new Set(
      models.filter(({ description }) => hasWords(description)).map(({ name }) => name),
    );
    return semanticModels
      .filter(({ model, description }) => !hasWords(description) && !described.has(model.value.toLowerCase()))
      .map(({ name, file }) => wordlessIn(file, name));
  },
});
