/*
 * Rows as the objects that a selection describes, under the names it gives them.
 *
 *   { s: status customers { region } }      ['new', 'EU']  ──▶  {s: 'new', customers: {region: 'EU'}}
 *
 * The library would look at each cell with the care that resolvers of strangers need, ten times slower and in one go.
 * Cells need none, so this does it, a part of the rows at a time: between them others are served.
 */
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { failure } from '../../domain/failure.ts';
import { chosenFields } from './selected-columns.ts';

/** Aliases can ask for a cell any number of times, so an answer is bounded by what is written, not by what is read. */
const CELLS_MAX = 2_000_000;
const CELLS_AT_ONCE = 50_000;

type Row = readonly unknown[];
type Part = { readonly key: string } & (
  | { readonly kind: 'cell'; readonly at: number | undefined; readonly serialize: (cell: unknown) => unknown }
  | { readonly kind: 'object'; readonly parts: readonly Part[] }
  | { readonly kind: 'type'; readonly name: string }
);

/** The rows of a root field; `placeOf` says where in a row the cell of a field is. */
export async function shapedRows(
  info: GraphQLResolveInfo,
  rows: readonly Row[],
  placeOf: (path: readonly string[]) => number | undefined,
): Promise<readonly unknown[]> {
  const type = getNamedType(info.returnType) as GraphQLObjectType;
  const parts = partsOf(info.fieldNodes, { type, path: [], info, placeOf });
  const width = Math.max(1, cellsIn(parts));
  if (rows.length * width > CELLS_MAX) throw failure('graphql.too-large', { what: 'cells', max: CELLS_MAX });
  const shaped: unknown[] = [];
  const step = Math.max(1, Math.floor(CELLS_AT_ONCE / width));
  for (let from = 0; from < rows.length; from += step) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const row of rows.slice(from, from + step)) shaped.push(shapedRow(row, parts));
  }
  return shaped;
}

interface Shaping {
  readonly type: GraphQLObjectType;
  readonly path: readonly string[];
  readonly info: GraphQLResolveInfo;
  readonly placeOf: (path: readonly string[]) => number | undefined;
}

/** Fields that have the same name in the answer are one, with the selections of all. */
function partsOf(nodes: readonly FieldNode[], shaping: Shaping): readonly Part[] {
  const { type, path, info, placeOf } = shaping;
  const byKey = new Map<string, FieldNode[]>();
  for (const node of nodes)
    for (const chosen of chosenFields(node.selectionSet?.selections ?? [], info)) {
      const key = chosen.alias?.value ?? chosen.name.value;
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [chosen]);
      else same.push(chosen);
    }
  return [...byKey].map(([key, same]): Part => {
    const name = same[0]?.name.value ?? '';
    if (name === '__typename') return { key, kind: 'type', name: type.name };
    const inner = getNamedType(type.getFields()[name]?.type);
    const below = [...path, name];
    if (isObjectType(inner))
      return { key, kind: 'object', parts: partsOf(same, { ...shaping, type: inner, path: below }) };
    const serialize = isLeafType(inner) ? inner.serialize.bind(inner) : (cell: unknown) => cell;
    return { key, kind: 'cell', at: placeOf(below), serialize };
  });
}

function cellsIn(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'object' ? cellsIn(part.parts) : 1), 0);
}

function shapedRow(row: Row, parts: readonly Part[]): unknown {
  const made: Record<string, unknown> = {};
  for (const part of parts) {
    const value = shapedPart(row, part);
    // Assigned, this one would be no member.
    if (part.key === '__proto__') Object.defineProperty(made, part.key, { value, enumerable: true });
    else made[part.key] = value;
  }
  return made;
}

function shapedPart(row: Row, part: Part): unknown {
  switch (part.kind) {
    case 'type':
      return part.name;
    case 'object':
      return shapedRow(row, part.parts);
    case 'cell': {
      const cell = part.at === undefined ? null : row[part.at];
      return cell === null || cell === undefined ? null : part.serialize(cell);
    }
  }
}
