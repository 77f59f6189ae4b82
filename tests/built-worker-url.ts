/**
 * In tests it stands in the place of `src/foundation/worker-url.ts`. Keepers and worker threads that a test starts are the built ones:
 * there are thousands, and from the sources each would strip and link a hundred files first.
 */
export function workerUrl(name: string): URL {
  return new URL(`../dist/${name}.js`, import.meta.url);
}
