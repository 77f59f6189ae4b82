import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePeer } from './peers.ts';

// TPC-H's eight tables as Parquet files, made once for each scale by the generator from the Python registry and kept under
// bench/.work/ (git-ignored). Its answers are the same on every machine.

const HOME = join(import.meta.dirname, '.work');

/** Parents before children. */
export const TPCH_TABLES = [
  'region',
  'nation',
  'supplier',
  'customer',
  'part',
  'partsupp',
  'orders',
  'lineitem',
] as const;

/** A folder with a file for each table, or the reason why there is none. */
export type TpchData =
  | {
      readonly kind: 'available';
      readonly folder: string;
      readonly versions: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'not-available'; readonly reason: string };

/** Finds the data of a scale, making them first when they are missing; the generator is installed when it must be. */
export function tpchData(scale: number): TpchData {
  const folder = join(HOME, `tpch-${scale}`);
  const generator = ensurePeer('tpchgen');
  if (generator.kind === 'not-available') return { kind: 'not-available', reason: generator.reason };
  const available = { kind: 'available', folder, versions: generator.versions } as const;
  if (existsSync(folder)) return available;
  const unfinished = `${folder}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const { status, stderr, error } = spawnSync(
    join(generator.bin, 'tpchgen-cli'),
    ['parquet', '--scale-factor', String(scale), '--output-dir', unfinished],
    { encoding: 'utf8' },
  );
  if (status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    return {
      kind: 'not-available',
      reason: error?.message ?? stderr.trim().split('\n').at(-1) ?? `exit ${status}`,
    };
  }
  if (existsSync(folder)) rmSync(unfinished, { recursive: true, force: true });
  else renameSync(unfinished, folder);
  return available;
}

/** Statements that make tables of the files, in the schema `tpch` of a DuckDB. */
export function tpchTables(folder: string): readonly string[] {
  return [
    'CREATE SCHEMA tpch',
    ...TPCH_TABLES.map((name) => {
      const file = join(folder, `${name}.parquet`).replaceAll("'", "''");
      return `CREATE TABLE tpch.${name} AS FROM read_parquet('${file}')`;
    }),
  ];
}
