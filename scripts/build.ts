/** Bundles `src` into `dist`: one chunk graph, so that starting reads few files and each command loads only its own code. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { hash128 } from '../src/foundation/hash.ts';

const root = join(import.meta.dirname, '..');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
);
/** Facts of another build are never trusted, so a build is named after everything it is made of. */
const buildId = hash128(
  ...sources.sort().flatMap((name) => [name, readFileSync(join(root, 'src', name), 'utf8')]),
);
const entries = sources
  .filter(
    (name) =>
      ['main.ts', 'index.ts', 'client/index.ts'].includes(name) ||
      name.endsWith('-worker.ts') ||
      name.endsWith('/keeper.ts'),
  )
  .map((name) => join(root, 'src', name));

rmSync(join(root, 'dist'), { recursive: true, force: true });
await build({
  entryPoints: entries,
  outbase: join(root, 'src'),
  outdir: join(root, 'dist'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  packages: 'external',
  chunkNames: 'chunks/[name]-[hash]',
  define: { PLINTH_BUILD_ID: JSON.stringify(buildId) },
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
  sourcemap: process.argv.includes('--sourcemap'),
});
if (!existsSync(join(root, 'dist/main.js'))) throw new Error('the build made no dist/main.js');
