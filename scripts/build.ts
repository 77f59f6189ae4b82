/**
 * Bundles `src` into `dist`: one chunk graph, so that starting reads few files and each command loads only its own code. Nothing is
 * done when `dist` was built from these sources, and a build that fails leaves `dist` as it was.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { hash128 } from '../src/foundation/hash128.ts';
import { bundleDuckdb, copyDuckdbLicense } from './bundle-duckdb.ts';

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

const hasMap = process.argv.includes('--sourcemap');
const dist = join(root, 'dist');
const mark = join(dist, 'build-id');
const about = `${buildId}${hasMap ? ' with a source map' : ''}\n`;
if (!existsSync(mark) || readFileSync(mark, 'utf8') !== about) {
  // In a folder of its own until it is whole: others may build at the same time.
  const made = `${dist}.${process.pid}`;
  try {
    await build({
      entryPoints: entries,
      outbase: join(root, 'src'),
      outdir: made,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      packages: 'external',
      plugins: [bundleDuckdb],
      chunkNames: 'chunks/[name]-[hash]',
      define: { PLINTH_BUILD_ID: JSON.stringify(buildId) },
      minifySyntax: true,
      minifyWhitespace: true,
      logLevel: 'warning',
      sourcemap: hasMap,
    });
    if (!existsSync(join(made, 'main.js'))) throw new Error('the build made no main.js');
    copyDuckdbLicense(made);
    writeFileSync(join(made, 'build-id'), about);
    rmSync(dist, { recursive: true, force: true });
    renameSync(made, dist);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
