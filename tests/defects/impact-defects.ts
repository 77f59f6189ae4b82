import type { Defect } from './defect.ts';

const mechanism = { file: 'tests/impact/impact.test.ts' };

/** Ways in which a change came to an answer without being listed. */
export const IMPACT_DEFECTS: readonly Defect[] = [
  {
    name: 'columns of filters are not followed',
    seen: 'A column that a model only filters by changed, and no metric over the model was listed.',
    mechanism,
    edits: [
      {
        file: 'src/compiler/catalog/reached-models.ts',
        find: "  else if (decides === 'all' || decides?.has(column) === true) found.rows('rows', through);\n",
        replace: '',
      },
      {
        file: 'src/compiler/catalog/reached-models.ts',
        find: "  else if (isNamed && made.length === 0) found.rows('rows', through);\n",
        replace: '',
      },
    ],
  },
  {
    name: 'other rows reach no question',
    seen: 'A model got other rows, and a metric that counts them was called untouched.',
    mechanism,
    edits: [
      {
        file: 'src/compiler/semantic/perspectives/reached-question.ts',
        find: '      if (each.rows !== undefined) add(each.rows.how, name);\n      else\n',
        replace: '',
      },
    ],
  },
];
