import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

// The floor of the run bench: the same statements one after the other in one process, no tool. An audit that returns a row ends it.
//   node bench/floors/run-script.ts DATABASE SCRIPT…   scripts named audits*.sql are read as audits

const [database, ...scripts] = process.argv.slice(2);
if (database === undefined || scripts.length === 0) throw new Error('usage: run-script.ts DATABASE SCRIPT…');
const begun = performance.now();
const instance = await DuckDBInstance.create(database);
const connection = await instance.connect();
await connection.run("SET TimeZone = 'UTC'");
let statements = 0;
for (const script of scripts) {
  const isAudit = /audits[^/]*\.sql$/.test(script);
  for (const statement of readFileSync(script, 'utf8').split(/;\n\n|;\n$/)) {
    if (statement.trim() === '') continue;
    statements++;
    if (!isAudit) await connection.run(statement);
    else if ((await connection.runAndReadAll(statement)).currentRowCount > 0)
      throw new Error(`an audit failed: ${statement}`);
  }
}
connection.closeSync();
instance.closeSync();
console.log(JSON.stringify({ statements, innerMs: performance.now() - begun }));
