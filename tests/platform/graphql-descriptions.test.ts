/** Tools show the schema with its descriptions: each part of it has one. */
import {
  buildSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { graphqlSdl } from '../../src/server/graphql/answer-graphql.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { ADMIN, type ServedProduct, servedProduct } from '../support/served-product.ts';

let served: ServedProduct;
beforeAll(async () => {
  served = await servedProduct(SEMANTIC_PROJECT);
});
afterAll(() => served?.close());

interface Described {
  readonly name: string;
  readonly description?: string | null | undefined;
}

function parts(schema: GraphQLSchema): readonly Described[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type): readonly Described[] => {
      const below = (each: Described): Described => ({ ...each, name: `${type.name}.${each.name}` });
      if (isEnumType(type)) return [type, ...type.getValues().map(below)];
      if (isInputObjectType(type)) return [type, ...Object.values(type.getFields()).map(below)];
      if (!isObjectType(type) && !isInterfaceType(type)) return [type];
      return [
        type,
        ...Object.values(type.getFields()).flatMap((field) => [
          below(field),
          ...field.args.map(({ name, description }) =>
            below({ name: `${field.name}(${name})`, description }),
          ),
        ]),
      ];
    });
}

test('every type, field, argument and value of the schema has a description', async () => {
  const sdl = await graphqlSdl(served.product, ADMIN, undefined);
  const all = parts(buildSchema(sdl));
  expect(all.length).toBeGreaterThan(150);
  const silent = all.filter(({ description }) => (description ?? '').trim() === '');
  expect(silent.map(({ name }) => name)).toEqual([]);
});
