import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Floor: the SQL library alone on one thread. The queries are those of the models with headers gone and macros
// expanded. Prints the successes, and the time inside the process without Node's and the library's start.
const importing = performance.now();
const { Dialect, parse } = await import('@polyglot-sql/sdk');
parse('SELECT 1', Dialect.DuckDB);
const folder = process.argv[2]!;
const started = performance.now();
let parsed = 0;
const failed: string[] = [];
for (const name of readdirSync(folder)) {
  const result = parse(readFileSync(join(folder, name), 'utf8'), Dialect.DuckDB);
  if (result.success) parsed++;
  else failed.push(`${name}: ${result.error}`);
}
const innerMs = performance.now() - started;
console.log(
  JSON.stringify({
    parsed,
    failed: failed.length,
    firstFailure: failed[0] ?? null,
    startMs: started - importing,
    innerMs,
  }),
);
