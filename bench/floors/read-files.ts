import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Floor: reading every file of a folder once, as bytes. Prints how many and how long it took inside the process.
const folder = process.argv[2]!;
const started = performance.now();
let bytes = 0;
let files = 0;
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  bytes += readFileSync(join(entry.parentPath, entry.name)).length;
  files++;
}
console.log(JSON.stringify({ files, bytes, innerMs: performance.now() - started }));
