import type { Random } from './random.ts';

// The abstract graph, before any SQL: which tables exist, who reads whom, and which traits each model has.
//
//   external (20 %) ──▶ staging (30 %) ──▶ intermediate (30 %) ──▶ marts (20 %)
//      depth 0             depth 1             depth 2–8             depth ≤ 12
//
// Nodes are numbered in topological order. A few staging models are hubs that about 110 others read.

type Layer = 'external' | 'staging' | 'intermediate' | 'marts';

/** One table of the generated project; `traits` are decided here so that their shares are exact. */
export interface GraphNode {
  readonly index: number;
  readonly layer: Layer;
  readonly entity: string;
  readonly schema: string;
  readonly name: string;
  readonly depth: number;
  readonly parents: readonly number[];
  readonly columnsWanted: number;
  readonly traits: Traits;
}

/** `cycle` counts down per hundred models, so 25 % windows means 25 of each 100, in a shuffled order. */
interface Traits {
  readonly hasWindow: boolean;
  readonly isStar: boolean;
  readonly usesMacro: boolean;
  readonly isIncremental: boolean;
}

const ENTITIES = [
  'orders',
  'customers',
  'products',
  'payments',
  'shipments',
  'returns',
  'stores',
  'invoices',
  'sessions',
  'events',
  'tickets',
  'campaigns',
  'suppliers',
  'employees',
  'contracts',
  'accounts',
  'devices',
  'visits',
  'claims',
  'policies',
] as const;

const PREFIX = { external: '', staging: 'stg_', intermediate: 'int_', marts: 'mart_' } as const;
const SCHEMA = { external: 'raw', staging: 'staging', intermediate: 'intermediate', marts: 'marts' } as const;
const DEPTH_MAX = { external: 0, staging: 1, intermediate: 8, marts: 12 } as const;
const HUB_CHILDREN = 110;

/** Builds `total` nodes (external tables included) in topological order. */
export function buildGraph(total: number, random: Random): readonly GraphNode[] {
  const counts = layerCounts(total);
  const nodes: GraphNode[] = [];
  const traits = traitDeck(total - counts.external, random);
  const hubs: { readonly index: number; left: number }[] = [];
  const hubCount = Math.max(2, Math.round(total / 500));
  const readers = counts.intermediate + counts.marts;
  const hubShare = Math.min(0.6, (hubCount * HUB_CHILDREN) / Math.max(1, readers));

  for (const layer of ['external', 'staging', 'intermediate', 'marts'] as const) {
    const byDepth = nodes.filter((node) => node.layer !== 'external');
    for (let i = 0; i < counts[layer]; i++) {
      const index = nodes.length;
      const parents = chooseParents({ layer, nodes, pool: byDepth, hubs, hubShare, random });
      const depth = layer === 'external' ? 0 : 1 + Math.max(...parents.map((p) => nodes[p]!.depth));
      const entity = layer === 'external' ? ENTITIES[i % ENTITIES.length]! : nodes[parents[0]!]!.entity;
      const node: GraphNode = {
        index,
        layer,
        entity,
        schema: SCHEMA[layer],
        name: `${PREFIX[layer]}${entity}_${String(i + 1).padStart(4, '0')}`,
        depth,
        parents,
        columnsWanted: columnsWanted(random),
        traits: layer === 'external' ? NO_TRAITS : traits.pop()!,
      };
      nodes.push(node);
      if (layer !== 'external') byDepth.push(node);
      if (layer === 'staging' && i < hubCount) hubs.push({ index, left: HUB_CHILDREN });
    }
  }
  return nodes;
}

const NO_TRAITS: Traits = { hasWindow: false, isStar: false, usesMacro: false, isIncremental: false };

function layerCounts(total: number): Record<Layer, number> {
  const external = Math.round(total * 0.2);
  const staging = Math.round(total * 0.3);
  const intermediate = Math.round(total * 0.3);
  return { external, staging, intermediate, marts: total - external - staging - intermediate };
}

// Exact shares: a deck with the right number of each trait, dealt independently of one another. A `SELECT *` model
// is never also incremental or windowed, so that its shape stays a plain star.
function traitDeck(count: number, random: Random): Traits[] {
  const flags = (share: number): boolean[] =>
    random.sample(
      Array.from({ length: count }, (_, i) => i < Math.round(count * share)),
      count,
    );
  const star = flags(0.05);
  const dealt = (share: number): boolean[] => {
    const open = star.map((isStar, i) => (isStar ? -1 : i)).filter((i) => i >= 0);
    const chosen = new Set(random.sample(open, Math.round(count * share)));
    return star.map((_, i) => chosen.has(i));
  };
  const window = dealt(0.25);
  const macro = dealt(0.1);
  const incremental = dealt(0.2);
  return star.map((isStar, i) => ({
    isStar,
    hasWindow: window[i]!,
    usesMacro: macro[i]!,
    isIncremental: incremental[i]!,
  }));
}

interface ParentChoice {
  readonly layer: Layer;
  readonly nodes: readonly GraphNode[];
  readonly pool: readonly GraphNode[];
  readonly hubs: readonly { readonly index: number; left: number }[];
  readonly hubShare: number;
  readonly random: Random;
}

function chooseParents({ layer, nodes, pool, hubs, hubShare, random }: ParentChoice): number[] {
  if (layer === 'external') return [];
  if (layer === 'staging') {
    const externals = nodes.filter((node) => node.layer === 'external');
    return random.sample(externals, random.chance(0.85) ? 1 : 2).map((node) => node.index);
  }
  const fanIn = random.pick([1, 1, 2, 2, 2, 3, 3, 4]);
  const chosen: number[] = [];
  const open = hubs.filter((hub) => hub.left > 0);
  while (chosen.length < fanIn) {
    const candidate = pickParent(layer, pool, random);
    if (!chosen.includes(candidate)) chosen.push(candidate);
    else if (pool.length <= fanIn) break;
  }
  if (open.length > 0 && random.chance(hubShare)) {
    const hub = random.pick(open);
    if (!chosen.includes(hub.index)) {
      hub.left--;
      if (chosen.length > 1) chosen[chosen.length - 1] = hub.index;
      else chosen.push(hub.index);
    }
  }
  return chosen;
}

// Half of the choices fall on the newest tenth of the models, which is what makes long chains.
function pickParent(layer: Layer, pool: readonly GraphNode[], random: Random): number {
  for (;;) {
    const low = random.chance(0.5) ? Math.floor(pool.length * 0.9) : 0;
    const node = pool[random.int(low, pool.length - 1)]!;
    if (node.depth < DEPTH_MAX[layer]) return node.index;
  }
}

// 5–60 columns, most between 8 and 20.
function columnsWanted(random: Random): number {
  const skew = random.float() * random.float() * random.float();
  return Math.min(60, 5 + Math.round(skew * 65) + random.int(0, 4));
}
