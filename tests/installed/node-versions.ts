import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Where npm puts nothing and takes everything away. */
const KEPT = join(ROOT, 'node_modules/.plinth-nodes');

/** A Node of the npm registry, as `npm install node@…` brings it; fetched once. */
export type InstalledNode =
  | { readonly kind: 'ready'; readonly version: string; readonly folder: string }
  /** Tests say the reason in their names: nothing is left out silently. */
  | { readonly kind: 'missing'; readonly version: string; readonly reason: string };

export function installedNode(version: string): InstalledNode {
  const kept = join(KEPT, version);
  if (!existsSync(kept)) {
    mkdirSync(KEPT, { recursive: true });
    const fresh = mkdtempSync(join(KEPT, 'fetching-'));
    const wanted = ['install', '--prefix', fresh, '--no-audit', '--no-fund', `node@${version}`];
    const { status, stderr } = spawnSync('npm', wanted, { encoding: 'utf8', timeout: 240_000 });
    if (status !== 0 || !existsSync(join(fresh, 'node_modules/node/bin/node'))) {
      rmSync(fresh, { recursive: true, force: true });
      return {
        kind: 'missing',
        version,
        reason: `npm install node@${version}: ${stderr.trim().slice(-200)}`,
      };
    }
    renameSync(fresh, kept);
  }
  return { kind: 'ready', version, folder: join(kept, 'node_modules/node') };
}
