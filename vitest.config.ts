import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  resolve: {
    alias: [
      {
        find: /^\.{1,2}\/.*worker-url\.ts$/,
        replacement: join(import.meta.dirname, 'tests/built-worker-url.ts'),
      },
    ],
  },
  test: {
    globalSetup: ['tests/build-first.ts'],
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'bench/**/*.test.ts'],
    setupFiles: ['tests/property-seed.ts'],
    // Processes, not threads: what a native engine does to its process then costs one worker, and says which file it was.
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    // Processes that tests start read the sources: without a cache each strips and compiles all of them again.
    env: {
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled'),
      // Copies in which defects are planted use it, too.
      NODE_COMPILE_CACHE_PORTABLE: '1',
    },
    // A golden that is missing fails; `vitest run --update=new` writes it.
    update: 'none',
    // A test that hangs is ended; how fast one is, is for benches: a machine may stand still for a while.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
