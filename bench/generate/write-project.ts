import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emitBare } from './emit-bare.ts';
import { blockPath, emitBlocks } from './emit-blocks.ts';
import { dbtPath, emitDbt } from './emit-dbt.ts';
import { type GeneratedModel, type GeneratedProject, generateProject } from './project.ts';

/** Which files the benches touch, and facts that they print; written as `manifest.json`. */
export interface Manifest {
  readonly total: number;
  readonly sqlModels: number;
  readonly externals: number;
  readonly sqlBytes: number;
  readonly columns: number;
  readonly depth: number;
  readonly widestFanOut: number;
  readonly leaf: TouchPoint;
  readonly root: TouchPoint;
}

/** A model that a bench changes, with its file in each tool's folder and how many models depend on it. */
interface TouchPoint {
  readonly name: string;
  readonly blocks: string;
  readonly dbt: string;
  readonly descendants: number;
}

/** Writes `blocks/` (Plinth and SQLMesh), `dbt/`, `bare/` and `manifest.json` below `out`, replacing what was there. */
export function writeProject(out: string, total: number, rows: number): Manifest {
  const project = generateProject(total);
  const folders = { blocks: emitBlocks(project), dbt: emitDbt(project), bare: emitBare(project, rows) };
  for (const [folder, files] of Object.entries(folders)) {
    rmSync(join(out, folder), { recursive: true, force: true });
    for (const [path, text] of files) {
      const target = join(out, folder, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
  }
  const manifest = describe(project, folders.blocks);
  writeFileSync(join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** Adds a column to the last SELECT of a model's text: a real change of schema, different for each `version`. */
export function touchModel(text: string, version: number): string {
  const at = text.lastIndexOf('\nSELECT\n');
  if (at < 0) throw new Error('the model has no final SELECT on a line of its own');
  const cut = at + '\nSELECT\n'.length;
  return `${text.slice(0, cut)}  ${version} AS touched_${version},\n${text.slice(cut)}`;
}

function describe(project: GeneratedProject, blocks: ReadonlyMap<string, string>): Manifest {
  const descendants = countDescendants(project);
  const children = new Map<number, number>();
  for (const { node } of project.models) {
    for (const parent of node.parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  const plain = project.models.filter(({ query }) => query.shape === 'rows');
  const leaf = plain.findLast(({ node }) => node.layer === 'marts' && !children.has(node.index))!;
  const staging = plain.filter(({ node }) => node.layer === 'staging');
  const root = staging.reduce((a, b) =>
    descendants.get(b.node.index)! > descendants.get(a.node.index)! ? b : a,
  );
  const touch = (model: GeneratedModel): TouchPoint => ({
    name: `${model.node.schema}.${model.node.name}`,
    blocks: blockPath(model),
    dbt: dbtPath(model),
    descendants: descendants.get(model.node.index)!,
  });
  return {
    total: project.total,
    sqlModels: project.models.length,
    externals: project.externals.length,
    sqlBytes: project.models.reduce(
      (sum, model) => sum + Buffer.byteLength(blocks.get(blockPath(model))!),
      0,
    ),
    columns: project.models.reduce((sum, { query }) => sum + query.relation.columns.length, 0),
    depth: Math.max(...project.models.map(({ node }) => node.depth)),
    widestFanOut: Math.max(...children.values()),
    leaf: touch(leaf),
    root: touch(root),
  };
}

function countDescendants({ models }: GeneratedProject): ReadonlyMap<number, number> {
  const below = new Map<number, Set<number>>();
  for (const { node } of models.toReversed()) {
    const mine = below.get(node.index) ?? new Set<number>();
    below.set(node.index, mine);
    for (const parent of node.parents) {
      const set = below.get(parent) ?? new Set<number>();
      set.add(node.index);
      for (const index of mine) set.add(index);
      below.set(parent, set);
    }
  }
  return new Map([...below].map(([index, set]) => [index, set.size]));
}
