import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessProduct } from '../missing-words.ts';

export const productWithoutDescription = missingWords('lint.product-without-description', {
  why: 'The description is the first thing that people and agents read of a product.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'config.yaml': '«n»ame: shop\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'config.yaml': 'name: shop\ndescription: Orders of the shop\n',
    },
  },
  wordless: ({ config }) => (hasWords(config.description) ? [] : [wordlessProduct(config)]),
});
