/**
 * Places the nodes of a graph in layers from left to right:
 *
 *   break circles ─▶ layers (longest path, sources pulled to their readers) ─▶ bends for long edges
 *     ─▶ order in each layer (median sweeps, the one with fewest crossings wins) ─▶ heights (each near its neighbours, none overlapping)
 *
 * Deterministic, and synchronous: some thousand nodes take well under a second.
 */

/** A box to place. */
export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
}

export interface LayoutOptions {
  readonly layerGap: number;
  readonly nodeGap: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `places` are top left corners, each with the width of its layer, so that boxes can be drawn as columns; `bends` are, per given edge, the points it passes on its way over other layers. */
export interface Layout {
  readonly places: ReadonlyMap<string, Point & { readonly layerWidth: number }>;
  readonly bends: readonly (readonly Point[])[];
  readonly width: number;
  readonly height: number;
}

/** A node or the place where a long edge crosses a layer. */
interface Item {
  readonly height: number;
  readonly width: number;
  before: number[];
  after: number[];
  layer: number;
  center: number;
}

export function layeredLayout(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  options: LayoutOptions,
): Layout {
  const index = new Map(nodes.map(({ id }, at) => [id, at]));
  const pairs = edges.map(({ from, to }) => [index.get(from) as number, index.get(to) as number] as const);
  const forward = withoutCircles(nodes.length, pairs);
  const layers = layersOf(nodes.length, forward);
  const items: Item[] = nodes.map(({ width, height }, at) => ({
    width,
    height,
    before: [],
    after: [],
    layer: layers[at] as number,
    center: 0,
  }));
  const chains = forward.map((pair) => chainOf(items, pair));
  const rows = orderLayers(items);
  placeCenters(items, rows, options.nodeGap);
  return measured(nodes, items, { rows, chains, pairs, forward }, options);
}

/** The same edges with those that close a circle turned around; edges of a node to itself are dropped to (n, n). */
function withoutCircles(
  count: number,
  pairs: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  const next = Map.groupBy(pairs.keys(), (at) => (pairs[at] as readonly [number, number])[0]);
  const state = new Uint8Array(count);
  const turned = new Set<number>();
  for (let root = 0; root < count; root++) {
    if (state[root] !== 0) continue;
    const stack: { node: number; at: number }[] = [{ node: root, at: 0 }];
    state[root] = 1;
    while (stack.length > 0) {
      const top = stack[stack.length - 1] as { node: number; at: number };
      const edge = next.get(top.node)?.[top.at++];
      if (edge === undefined) {
        state[top.node] = 2;
        stack.pop();
        continue;
      }
      const to = (pairs[edge] as readonly [number, number])[1];
      if (state[to] === 1) turned.add(edge);
      else if (state[to] === 0) {
        state[to] = 1;
        stack.push({ node: to, at: 0 });
      }
    }
  }
  return pairs.map(([from, to], at) => (turned.has(at) ? ([to, from] as const) : ([from, to] as const)));
}

function layersOf(count: number, pairs: readonly (readonly [number, number])[]): readonly number[] {
  const after: number[][] = Array.from({ length: count }, () => []);
  const waiting = new Int32Array(count);
  for (const [from, to] of pairs)
    if (from !== to) {
      after[from]?.push(to);
      waiting[to] = (waiting[to] as number) + 1;
    }
  const isSource = [...waiting].map((left) => left === 0);
  const layers = new Array<number>(count).fill(0);
  const order = [...waiting.keys()].filter((at) => waiting[at] === 0);
  for (let i = 0; i < order.length; i++) {
    const at = order[i] as number;
    for (const to of after[at] as number[]) {
      layers[to] = Math.max(layers[to] as number, (layers[at] as number) + 1);
      waiting[to] = (waiting[to] as number) - 1;
      if (waiting[to] === 0) order.push(to);
    }
  }
  // A source stands right before its first reader instead of far to the left of it.
  for (const at of order)
    if (isSource[at] && (after[at] as number[]).length > 0)
      layers[at] = Math.max(0, Math.min(...(after[at] as number[]).map((to) => layers[to] as number)) - 1);
  return layers;
}

/** Links the ends of an edge through one item per layer between them, and returns those items. */
function chainOf(items: Item[], [from, to]: readonly [number, number]): readonly number[] {
  if (from === to) return [];
  const chain: number[] = [];
  let last = from;
  for (let layer = (items[from] as Item).layer + 1; layer < (items[to] as Item).layer; layer++) {
    const at = items.push({ width: 0, height: 0, before: [last], after: [], layer, center: 0 }) - 1;
    items[last]?.after.push(at);
    chain.push(at);
    last = at;
  }
  items[last]?.after.push(to);
  items[to]?.before.push(last);
  return chain;
}

const SWEEPS = 16;
const SWEEPS_LARGE = 4;
const LARGE = 3_000;

function orderLayers(items: readonly Item[]): number[][] {
  const count = items.reduce((most, { layer }) => Math.max(most, layer + 1), 0);
  let rows: number[][] = Array.from({ length: count }, () => []);
  // Depth first from the left keeps what belongs together near each other.
  const seen = new Set<number>();
  const starts = [...items.keys()].sort((a, b) => (items[a] as Item).layer - (items[b] as Item).layer);
  for (const start of starts) {
    const stack = [start];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      rows[(items[at] as Item).layer]?.push(at);
      stack.push(...(items[at] as Item).after.toReversed());
    }
  }
  let best = rows;
  let fewest = crossings(items, rows);
  const sweeps = items.length > LARGE ? SWEEPS_LARGE : SWEEPS;
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    rows = swept(items, rows, sweep % 2 === 0 ? 'before' : 'after');
    const found = crossings(items, rows);
    if (found < fewest) [best, fewest] = [rows, found];
  }
  return best;
}

/** Sorts each layer by the mean position of its neighbours in the layer it was compared with. */
function swept(
  items: readonly Item[],
  rows: readonly (readonly number[])[],
  side: 'before' | 'after',
): number[][] {
  const position = new Map<number, number>();
  const result = rows.map((row) => [...row]);
  const order = side === 'before' ? [...result.keys()] : [...result.keys()].reverse();
  for (const layer of order) {
    const row = result[layer] as number[];
    const weights = new Map(
      row.map((at, own) => {
        const near = (items[at] as Item)[side].map((other) => position.get(other) as number);
        return [at, near.length === 0 ? own : near.reduce((sum, value) => sum + value, 0) / near.length];
      }),
    );
    row.sort((a, b) => (weights.get(a) as number) - (weights.get(b) as number));
    for (const [place, at] of row.entries()) position.set(at, place);
  }
  return result;
}

/** Pairs of edges that cross, counted per layer with a tree of prefix sums. */
function crossings(items: readonly Item[], rows: readonly (readonly number[])[]): number {
  let total = 0;
  for (let layer = 0; layer + 1 < rows.length; layer++) {
    const below = new Map((rows[layer + 1] as number[]).map((at, place) => [at, place]));
    const size = below.size;
    const tree = new Int32Array(size + 1);
    let inserted = 0;
    for (const at of rows[layer] as number[]) {
      const targets = (items[at] as Item).after.map((to) => below.get(to) as number).sort((a, b) => a - b);
      for (const target of targets) {
        let smaller = 0;
        for (let i = target + 1; i > 0; i -= i & -i) smaller += tree[i] as number;
        total += inserted - smaller;
      }
      for (const target of targets)
        for (let i = target + 1; i <= size; i += i & -i) tree[i] = (tree[i] as number) + 1;
      inserted += targets.length;
    }
  }
  return total;
}

const ROUNDS = 12;

/** Moves each layer towards its neighbours, as close as the order and the gaps allow. */
function placeCenters(items: readonly Item[], rows: readonly (readonly number[])[], gap: number): void {
  for (const row of rows)
    fit(
      items,
      row,
      row.map(() => 0),
      gap,
    );
  for (let round = 0; round < ROUNDS; round++) {
    const sides = round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const);
    const order = round % 2 === 0 ? rows : rows.toReversed();
    for (const row of order) {
      const wanted = row.map((at) => {
        const item = items[at] as Item;
        const near = item[sides[0]].length > 0 ? item[sides[0]] : item[sides[1]];
        return near.length === 0
          ? item.center
          : near.reduce((sum, other) => sum + (items[other] as Item).center, 0) / near.length;
      });
      fit(items, row, wanted, gap);
    }
  }
}

/** The centers closest to those wanted that keep the order and the gaps: neighbours that would overlap move as one block. */
function fit(items: readonly Item[], row: readonly number[], wanted: readonly number[], gap: number): void {
  const offsets: number[] = [];
  let offset = 0;
  for (const [place, at] of row.entries()) {
    if (place > 0)
      offset += ((items[row[place - 1] as number] as Item).height + (items[at] as Item).height) / 2 + gap;
    offsets.push(offset);
  }
  const blocks: { sum: number; count: number }[] = [];
  for (const [place, value] of wanted.entries()) {
    blocks.push({ sum: value - (offsets[place] as number), count: 1 });
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1] as { sum: number; count: number };
      const before = blocks[blocks.length - 2] as { sum: number; count: number };
      if (before.sum / before.count <= last.sum / last.count) break;
      blocks.splice(-2, 2, { sum: before.sum + last.sum, count: before.count + last.count });
    }
  }
  let place = 0;
  for (const { sum, count } of blocks)
    for (let i = 0; i < count; i++, place++)
      (items[row[place] as number] as Item).center = sum / count + (offsets[place] as number);
}

interface Placed {
  readonly rows: readonly (readonly number[])[];
  readonly chains: readonly (readonly number[])[];
  readonly pairs: readonly (readonly [number, number])[];
  readonly forward: readonly (readonly [number, number])[];
}

function measured(
  nodes: readonly LayoutNode[],
  items: readonly Item[],
  { rows, chains, pairs, forward }: Placed,
  options: LayoutOptions,
): Layout {
  const widths = rows.map((row) => Math.max(0, ...row.map((at) => (items[at] as Item).width)));
  const lefts: number[] = [];
  let left = 0;
  for (const width of widths) {
    lefts.push(left);
    left += width + options.layerGap;
  }
  let top = Number.POSITIVE_INFINITY;
  let bottom = Number.NEGATIVE_INFINITY;
  for (const { center, height } of items) {
    top = Math.min(top, center - height / 2);
    bottom = Math.max(bottom, center + height / 2);
  }
  if (items.length === 0) [top, bottom] = [0, 0];
  const places = new Map(
    nodes.map(({ id, height }, at) => {
      const { layer, center } = items[at] as Item;
      return [
        id,
        { x: lefts[layer] as number, y: center - height / 2 - top, layerWidth: widths[layer] as number },
      ];
    }),
  );
  const bends = chains.map((chain, edge) => {
    const points = chain.flatMap((at) => {
      const { layer, center } = items[at] as Item;
      const left = lefts[layer] as number;
      // Level across the whole layer: a curve would touch the boxes above or below.
      return [
        { x: left, y: center - top },
        { x: left + (widths[layer] as number), y: center - top },
      ];
    });
    return (pairs[edge] as readonly [number, number])[0] === (forward[edge] as readonly [number, number])[0]
      ? points
      : points.reverse();
  });
  return { places, bends, width: Math.max(0, left - options.layerGap), height: bottom - top };
}
