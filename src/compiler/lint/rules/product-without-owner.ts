import { EXAMPLE_MODEL } from '../example-model.ts';
import { hasWords } from '../has-words.ts';
import { missingWords, wordlessProduct } from '../missing-words.ts';

export const productWithoutOwner = missingWords('lint.product-without-owner', {
  why: 'Consumers ask the owner of the product first.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'config.yaml': '«n»ame: shop\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'config.yaml': 'name: shop\nowner: mara\n',
    },
  },
  wordless: ({ config }) => (hasWords(config.owner) ? [] : [wordlessProduct(config)]),
});
