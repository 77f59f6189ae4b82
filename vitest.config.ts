import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'bench/**/*.test.ts'],
    // Processes, not threads: what a native engine does to its process then costs one worker, and says which file it was.
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    // Processes that tests start read the sources: without a cache each strips and compiles all of them again.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
