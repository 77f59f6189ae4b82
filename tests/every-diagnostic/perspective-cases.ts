import { LOCAL_ADMIN } from '../../src/domain/local-admin.ts';
import type { Perspective } from '../../src/domain/perspective.ts';
import { OWNED_MAX } from '../../src/domain/perspective-store.ts';
import { Directory } from '../../src/operations/access/directory.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { askPerspective } from '../../src/operations/perspectives/ask-perspective.ts';
import { changePerspective } from '../../src/operations/perspectives/change-perspective.ts';
import { createPerspective } from '../../src/operations/perspectives/create-perspective.ts';
import { getPerspective } from '../../src/operations/perspectives/list-perspectives.ts';
import { rewritePerspective } from '../../src/operations/perspectives/rewrite-perspective.ts';
import type { Platform, Product } from '../../src/operations/platform.ts';
import { perspectiveOf } from '../conformance/perspective-store-fixtures.ts';
import { PEOPLE } from '../perspectives/perspective-product.ts';
import { identityOf, servedProduct } from '../support/served-product.ts';
import { codeOf } from './code-of.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

const FILES = {
  ...PEOPLE,
  'config.yaml':
    'name: shop\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\nusers: [{username: x, groups: [whole, eu]}]\n',
};

interface Made {
  readonly product: Product;
  readonly directory: Directory;
  /** The slug of a perspective of the whole product. */
  readonly slug: string;
  create(more: object): ReturnType<typeof createPerspective>;
}

/** Something done with perspectives of a product; a failure has the code, or what it answers with. */
const perspective = (code: string, work: (made: Made) => Promise<unknown>): DiagnosticCase =>
  acting(code, async () => {
    const served = await servedProduct(FILES);
    try {
      const { product } = served;
      const directory = new Directory({ products: [product], lost: [] } as unknown as Platform, {
        principalId: 'test',
        now: 1,
      });
      const create: Made['create'] = (more) =>
        createPerspective(
          directory,
          { product, asker: LOCAL_ADMIN },
          { name: 'One', visibility: 'product', query: ASKED, ...more },
        );
      await create({});
      let answered: unknown;
      const failed = await codeOf(
        work({ product, directory, slug: 'one', create }).then((answer) => {
          answered = answer;
        }),
      );
      const { diagnostics } = (answered ?? {}) as {
        readonly diagnostics?: readonly { readonly code: string }[];
      };
      return failed ?? diagnostics?.[0]?.code;
    } finally {
      await served.close();
    }
  });

const ASKED: Perspective['query'] = { kind: 'semantic', query: { measures: ['people.spend'] } };
const READER = identityOf({ productRoles: { 'default-shop': 'consumer' } });

export const perspectiveCases: readonly DiagnosticCase[] = [
  perspective('perspective.unknown', ({ product }) => getPerspective(product, LOCAL_ADMIN, 'none')),
  perspective('perspective.ambiguous', async ({ product }) => {
    const { perspectives } = product.world.state;
    for (const [at, name] of ['ada', 'bob'].entries())
      await perspectives.createPerspective(
        perspectiveOf(at, {
          slug: 'same',
          owner: { id: `u_${name}`, name },
          visibility: { kind: 'shared', principals: [] },
        }),
        [],
      );
    await getPerspective(product, LOCAL_ADMIN, 'same');
  }),
  // Doors say it of this answer.
  perspective('perspective.taken', async ({ create }) => {
    const { kind } = await create({});
    return { diagnostics: [{ code: `perspective.${kind}` }] };
  }),
  perspective('perspective.changed', ({ product, directory, slug }) =>
    changePerspective(
      directory,
      { product, asker: LOCAL_ADMIN },
      { slug, expected: ['another'], fields: { name: 'x' } },
    ),
  ),
  perspective('perspective.too-many', async ({ product, create }) => {
    const { principalId: id, name } = LOCAL_ADMIN;
    const { perspectives } = product.world.state;
    const more = Array.from({ length: OWNED_MAX }, (_, at) => perspectiveOf(at, { owner: { id, name } }));
    await Promise.all(more.map((each) => perspectives.createPerspective(each, [])));
    await create({ name: 'One more' });
  }),
  perspective('perspective.bad-definition', ({ create }) => create({ slug: 'A slug' })),
  perspective('perspective.bad-parameters', ({ product, slug }) =>
    askPerspective(product, LOCAL_ADMIN, { slug, values: { other: 1 } }),
  ),
  perspective('perspective.withheld', ({ product, slug }) =>
    askPerspective(product, READER, { slug, values: {} }),
  ),
  perspective('perspective.no-question', async ({ product, create }) => {
    const query = {
      measures: ['people.spend'],
      filters: [{ member: 'people.country', operator: 'equals', values: ['x'.repeat(30_000)] }],
    };
    const question = { kind: 'semantic-query', query } as const;
    const answer = await submitStatement(product, LOCAL_ADMIN, { question });
    if (answer.ok) await create({ query: undefined, statementId: answer.statement.id });
  }),
  perspective('perspective.unknown-principals', ({ create }) =>
    create({ name: 'Two', visibility: 'shared', principals: ['zed'] }),
  ),
  perspective('perspective.not-broken', ({ product, directory, slug }) =>
    rewritePerspective(directory, { product, asker: LOCAL_ADMIN }, slug),
  ),
];
