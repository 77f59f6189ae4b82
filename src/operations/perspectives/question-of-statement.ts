import { namelessPlaces } from '../../compiler/semantic/perspectives/parameter-places.ts';
import { failure } from '../../domain/failure.ts';
import type { Perspective, PerspectiveParameter } from '../../domain/perspective.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Statement } from '../../domain/statement.ts';
import { splice } from '../../foundation/sql/splice.ts';
import { ownStatement } from '../ask/own-statement.ts';
import { checkStatementAccess } from '../ask/statement-access.ts';
import type { Product } from '../platform.ts';

/** What a statement of the caller asked. Values of `?` become parameters, with these values as defaults. */
export async function questionOfStatement(
  product: Product,
  asker: Identity,
  id: string,
): Promise<Pick<Perspective, 'query' | 'params'>> {
  const statement = await ownStatement(product, asker, id);
  await checkStatementAccess(product, asker, statement);
  const { queryType, asked } = statement;
  if (asked?.kind === 'semantic') return { query: { kind: 'semantic', query: asked.query }, params: [] };
  const isText = queryType === 'sql' || queryType === 'semantic-sql';
  const named = isText ? namedPlaces(statement, asked?.parameters ?? []) : undefined;
  if (named === undefined) throw failure('perspective.no-question', { id });
  return named;
}

/** Undefined where a value was not kept, or is none that a parameter can have. */
function namedPlaces(
  { sql }: Statement,
  values: readonly unknown[],
): Pick<Perspective, 'query' | 'params'> | undefined {
  const places = namelessPlaces(sql);
  const params = values.flatMap((value, at): readonly PerspectiveParameter[] => {
    const type = TYPES.get(typeof value);
    const own = value as string | number | boolean;
    return type === undefined ? [] : [{ name: `p${at + 1}`, type, default: own }];
  });
  const isWhole = places.every(({ name }) => params.some((param) => param.name === `p${name}`));
  if (!isWhole || params.length !== values.length) return undefined;
  const edits = places.map(({ name, start, end }) => ({ start, end, text: `$p${name}` }));
  return { query: { kind: 'sql', sql: splice(sql, edits) }, params };
}

const TYPES: ReadonlyMap<string, PerspectiveParameter['type']> = new Map([
  ['string', 'text'],
  ['number', 'number'],
  ['boolean', 'boolean'],
] as const);
