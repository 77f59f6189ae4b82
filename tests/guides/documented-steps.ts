import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

export type DocumentedStep =
  | { readonly kind: 'command'; readonly command: string }
  /** A block below a line that is nothing but a path in backquotes. */
  | { readonly kind: 'file'; readonly path: string; readonly text: string };

/** What a page tells its reader to do, in its order: lines after `$ ` in console blocks, without their comments, and files to write. */
export function stepsOf(page: string): readonly DocumentedStep[] {
  const blocks = page.matchAll(/(?:^`([\w./-]+)`\n\n)?```(\w+)\n([\s\S]*?)```/gm);
  return [...blocks].flatMap(([, path, language, text = '']): readonly DocumentedStep[] => {
    if (path !== undefined) return [{ kind: 'file', path, text }];
    if (language !== 'console') return [];
    return [...text.matchAll(/^\$ (.*?)(?:\s+#.*)?$/gm)].map(([, command = '']) => ({
      kind: 'command',
      command,
    }));
  });
}

export function writeStep(folder: string, { path, text }: DocumentedStep & { readonly kind: 'file' }): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** The files that the page about the first project begins with. */
export async function makeExports(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const connection = await (await DuckDBInstance.create()).connect();
  const target = (name: string): string => `'${join(folder, name)}'`;
  await connection.run(`COPY (
    SELECT
      i AS trip_id, TIMESTAMP '2025-01-01' + INTERVAL (i * 7) MINUTE AS picked_up_at,
      TIMESTAMP '2025-01-01' + INTERVAL (i * 7 + 3 + i % 40) MINUTE AS dropped_off_at, 1 + i % 6 AS zone_id,
      CASE WHEN i % 3 = 0 THEN 'cash' ELSE 'card' END AS paid_by, CAST(5 + (i % 97) * 0.75 AS DECIMAL(10, 2)) AS fare
    FROM range(20000) AS t(i)) TO ${target('trips.parquet')}`);
  await connection.run(`COPY (
    SELECT * FROM (VALUES (1, 'Airport', 'Outer'), (2, 'Centre', 'Inner'), (3, 'Harbour', 'Inner'),
      (4, 'Hill', 'Outer'), (5, 'Park', 'Inner'), (6, 'Station', 'Inner')) AS z(zone_id, zone, ring)
    ) TO ${target('zones.csv')} (HEADER)`);
  connection.closeSync();
}
