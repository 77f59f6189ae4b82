import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessIn } from '../missing-words.ts';

export const dimensionWithoutDescription = missingWords('lint.dimension-without-description', {
  why: 'What is computed from columns needs words of its own.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml':
        'kind: semantic\nname: a\ndepends_on: marts.a\ndimensions:\n  - name: «paid»\n    expression: "{status} = \'paid\'"\n    type: boolean\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'models/semantics/a.yml':
        'kind: semantic\nname: a\ndepends_on: marts.a\ndimensions:\n  - name: paid\n    expression: "{status} = \'paid\'"\n    type: boolean\n    description: Whether the money came\n',
    },
    unless: [
      {
        because: 'a column is described where it is made',
        files: {
          'models/a.sql':
            "MODEL (name marts.a, kind FULL, column_descriptions (status = 'paid or open'), grain order_id);\nSELECT order_id, amount, status, order_date FROM raw.orders\n",
          'models/semantics/a.yml': 'kind: semantic\nname: a\ndepends_on: marts.a\ndimensions: [status]\n',
        },
      },
    ],
  },
  wordless: ({ models: all, semanticModels }) => {
    const models = new Map(all.map((model) => [model.name, model]));
    return semanticModels.flatMap(({ name: semantic, model, file, dimensions = [] }) => {
      const columns = new Map(
        (models.get(model.value.toLowerCase())?.columns ?? []).map((column) => [
          column.name.toLowerCase(),
          column,
        ]),
      );
      // A dimension that is a column has the description of the column.
      const ofColumn = (name: string): string | undefined => columns.get(name.toLowerCase())?.description;
      return dimensions
        .filter(({ isPublic, description }) => isPublic && !hasWords(description))
        .filter(({ name, expression }) => expression !== undefined || !hasWords(ofColumn(name.value)))
        .map(({ name }) => wordlessIn(file, name, semantic.value));
    });
  },
});
