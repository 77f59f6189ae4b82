/*
 * Rows as the objects that a selection describes, under the names it gives them.
 *
 *   { s: status customers { region } }      ['new', 'EU']  ──▶  {"s":"new","customers":{"region":"EU"}}
 *
 * The library would look at each cell with the care that resolvers of strangers need, ten times slower and in one go. Cells need
 * none: rows are written as they are read, and never held.
 */
import {
  type FieldNode,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import type { RowFrame } from '../../operations/ask/result-of.ts';
import type { ResultRows } from '../../operations/ask/result-page.ts';
import type { AnswerSize } from './answer-budget.ts';
import { spellingOf } from './scalars.ts';
import { chosenFields } from './selected-columns.ts';

type Part = { readonly key: string } & (
  | { readonly kind: 'cell'; readonly at: number | undefined; readonly type: GraphQLLeafType | undefined }
  | { readonly kind: 'object'; readonly parts: readonly Part[] }
  | { readonly kind: 'type'; readonly name: string }
);

/** The rows of a root field on their way into an answer. */
export interface ShapedRows {
  readonly size: AnswerSize;
  /** Looks at cells that may not be what the schema says; throws what is wrong, also when the rows are gone. */
  readonly check: () => Promise<void>;
  /** JSON of the rows, with commas between them. */
  readonly text: () => Promise<AsyncIterable<Buffer>>;
}

/** `placeOf` says where in a row the cell of a field is. */
export function shapedRows(
  info: GraphQLResolveInfo,
  rows: ResultRows,
  placeOf: (path: readonly string[]) => number | undefined,
): ShapedRows {
  const type = getNamedType(info.returnType) as GraphQLObjectType;
  const parts = partsOf(info.fieldNodes, { type, path: [], info, placeOf });
  const { frame, doubts } = frameOf(parts, rows);
  return {
    size: sizeOf(rows, frame, Math.max(1, cellsIn(parts))),
    text: () => rows.framed(frame),
    check: async () => {
      if (doubts.length > 0) await checkCells(rows, doubts);
      else await rows.framed(frame);
    },
  };
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
    return { key, kind: 'cell', at: placeOf(below), type: isLeafType(inner) ? inner : undefined };
  });
}

function cellsIn(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'object' ? cellsIn(part.parts) : 1), 0);
}

interface Doubt {
  readonly at: number;
  readonly type: GraphQLLeafType;
}

function frameOf(
  parts: readonly Part[],
  { columns }: ResultRows,
): { readonly frame: RowFrame; readonly doubts: readonly Doubt[] } {
  const [texts, cells, doubts]: [string[], RowFrame['cells'][number][], Doubt[]] = [[], [], []];
  let text = '';
  const add = (part: Part): void => {
    switch (part.kind) {
      case 'type':
        text += JSON.stringify(part.name);
        break;
      case 'object':
        addAll(part.parts);
        break;
      case 'cell': {
        const { at, type } = part;
        const column = at === undefined ? undefined : columns[at];
        if (at === undefined || column === undefined) text += 'null';
        else {
          const { as, isDoubtful } = spellingOf(type, column.engineType);
          if (isDoubtful && type !== undefined) doubts.push({ at, type });
          texts.push(text);
          cells.push({ at, as });
          text = '';
        }
      }
    }
  };
  const addAll = (all: readonly Part[]): void => {
    text += '{';
    for (const [index, part] of all.entries()) {
      text += `${index === 0 ? '' : ','}${JSON.stringify(part.key)}:`;
      add(part);
    }
    text += '}';
  };
  addAll(parts);
  return { frame: { texts: [...texts, text], cells, between: ',' }, doubts };
}

/** At most about so much: as if all bytes were in the column that is written most often. */
function sizeOf({ rowCount, bytes }: ResultRows, { texts, cells }: RowFrame, width: number): AnswerSize {
  const times = new Map<number, number>();
  for (const { at } of cells) times.set(at, (times.get(at) ?? 0) + 1);
  const context = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 1);
  return { cells: rowCount * width, bytes: rowCount * context + bytes * Math.max(0, ...times.values()) };
}

/** As the library would look at them. */
async function checkCells(rows: ResultRows, doubts: readonly Doubt[]): Promise<void> {
  const frame: RowFrame = {
    texts: ['[', ...doubts.slice(1).map(() => ','), ']'],
    cells: doubts.map(({ at }) => ({ at, as: 'raw' })),
    between: ',',
  };
  for await (const piece of await rows.framed(frame))
    for (const row of JSON.parse(`[${String(piece).replace(/^,/, '')}]`) as readonly (readonly unknown[])[])
      for (const [index, { type }] of doubts.entries()) if (row[index] !== null) type.serialize(row[index]);
}
