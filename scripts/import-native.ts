/** Imports each package that brings a binary: npm installs happily when the binary for this machine is missing. */
const natives = ['@duckdb/node-api', '@polyglot-sql/sdk', 'minijinja-js', 'esbuild'] as const;
for (const name of natives) await import(name);
console.log(`${natives.length} native packages can be imported`);
