import { externalRelation, type Relation } from './columns.ts';
import { buildGraph, type GraphNode } from './graph.ts';
import { buildQuery, type ModelQuery } from './query.ts';
import { createRandom } from './random.ts';

/** One seed for every benchmark, so that figures of different days are of the same project. */
const SEED = 42;

/** An external table of the generated project, with declared columns. */
export interface ExternalTable {
  readonly node: GraphNode;
  readonly relation: Relation;
}

/** A SQL model of the generated project in tool-neutral form. */
export interface GeneratedModel {
  readonly node: GraphNode;
  readonly query: ModelQuery;
}

/** The abstract project from which every tool's files are written; models are in topological order. */
export interface GeneratedProject {
  readonly total: number;
  readonly externals: readonly ExternalTable[];
  readonly models: readonly GeneratedModel[];
}

/** Generates the project of `total` tables (20 % of them external). */
export function generateProject(total: number, seed = SEED): GeneratedProject {
  const random = createRandom(seed);
  const nodes = buildGraph(total, random);
  const relations = new Map<number, Relation>();
  const externals: ExternalTable[] = [];
  const models: GeneratedModel[] = [];
  for (const node of nodes) {
    if (node.layer === 'external') {
      const relation = externalRelation(node.entity, node.columnsWanted + 3, random);
      relations.set(node.index, relation);
      externals.push({ node, relation });
      continue;
    }
    const parents = node.parents.map((index) => ({ node: nodes[index]!, relation: relations.get(index)! }));
    const query = buildQuery(node, parents, random);
    relations.set(node.index, query.relation);
    models.push({ node, query });
  }
  return { total, externals, models };
}

/** How one tool spells the four things that differ between tools. */
export interface Spelling {
  readonly ref: (schema: string, name: string) => string;
  readonly ratio: (numerator: string, denominator: string) => string;
  readonly start: string;
  readonly end: string;
}

/** Replaces the marks of a query by a tool's spelling. */
export function spell(text: string, spelling: Spelling): string {
  return text.replace(/‹(\w+)(?::([^›]*))?›/g, (_, mark: string, argument: string | undefined) => {
    if (mark === 'start') return spelling.start;
    if (mark === 'end') return spelling.end;
    const [first = '', second = ''] = (argument ?? '').split(mark === 'ref' ? '.' : '¦');
    return mark === 'ref' ? spelling.ref(first, second) : spelling.ratio(first, second);
  });
}

export type Materialisation = 'view' | 'full' | 'incremental';

/** Staging is views (two of three) so that views stay shallow; the rest is tables. */
export function materialisationOf({ node }: GeneratedModel): Materialisation {
  if (node.traits.isIncremental) return 'incremental';
  return node.layer === 'staging' && node.index % 3 !== 0 ? 'view' : 'full';
}

/** The folder of a model below `models/`: at most a hundred files a folder. */
export function folderOf({ layer, index }: GraphNode): string {
  return `${layer}/part_${String(Math.floor(index / 100)).padStart(3, '0')}`;
}
