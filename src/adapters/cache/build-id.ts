import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

declare const PLINTH_BUILD_ID: string | undefined;

/** Names the program that computes facts: the bundle's own hash, or, run from source, the time the newest source file was written. */
export function buildId(): string {
  if (typeof PLINTH_BUILD_ID === 'string') return PLINTH_BUILD_ID;
  // Once a process: the program that it runs is the one that it has loaded.
  sourceId ??= newestSource();
  return sourceId;
}

let sourceId: string | undefined;

function newestSource(): string {
  const source = join(import.meta.dirname, '../..');
  let newest = 0;
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.ts')) newest = Math.max(newest, statSync(join(source, name)).mtimeMs);
  return `source-${newest}`;
}
