import { answerGraphql } from '../../src/server/graphql/answer-graphql.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { ADMIN, servedProduct } from '../support/served-product.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

/** A document that is refused, by a product that is really served. */
const asking = (code: string, query: string): DiagnosticCase =>
  acting(code, async () => {
    const { product, close } = await servedProduct(SEMANTIC_PROJECT);
    try {
      const { body } = await answerGraphql(product, ADMIN, {
        request: { query },
        signal: new AbortController().signal,
        onBug: (error) => {
          throw error;
        },
      });
      const [first] = (body.errors ?? []) as readonly { readonly extensions?: { readonly code?: string } }[];
      return first?.extensions?.code;
    } finally {
      await close();
    }
  });

export const graphqlCases: readonly DiagnosticCase[] = [
  asking('graphql.syntax', '{ orders { revenue '),
  asking('graphql.invalid', '{ orders { revenu } }'),
  asking(
    'graphql.too-large',
    `{ ${Array.from({ length: 11 }, (_, i) => `o${i}: orders { count }`).join(' ')} }`,
  ),
  asking('graphql.bad-compare', '{ orders(compareDateRange: {}) { revenue } }'),
  asking('graphql.bad-order', '{ orders(orderBy: [{ revenue: desc, status: asc }]) { revenue status } }'),
];
