import { writeFileSync } from 'node:fs';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { Failure } from '../../src/domain/failure.ts';
import { NEVER } from './kill-project.ts';

// A reader of its own process: asks again and again whether something is seen that must never be seen, until its
// standard input ends. It prints one line: how often it asked, in how many milliseconds, and what it saw.
//   node tests/kill/reader.ts FOLDER READY_FILE

const [folder = '', ready = ''] = process.argv.slice(2);
const engine = await duckdbEngine({ database: `${folder}/kill.duckdb`, folder, connection: {} });
const questions = Object.entries(NEVER);
const seen = new Map<string, unknown>();
let polls = 0;
let answered = 0;
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();
const begun = performance.now();

async function ask(from: number): Promise<void> {
  for (let at = from; !isOver; at++) {
    const [name, sql] = questions[at % questions.length] as [string, string];
    polls++;
    try {
      const { rows } = await engine.query(sql);
      answered++;
      if (rows.length > 0 && !seen.has(name)) seen.set(name, rows.slice(0, 5));
    } catch (error) {
      // Before the first promotion there are no views; while a keeper is being replaced nobody answers.
      if (!(error instanceof Failure)) throw error;
      if (error.code === 'engine.statement-failed' && !/does not exist/i.test(error.message))
        seen.set(name, error.message);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

writeFileSync(ready, '');
await Promise.all([ask(0), ask(Math.floor(questions.length / 2))]);
const ms = performance.now() - begun;
await engine.close();
console.log(JSON.stringify({ polls, answered, ms: Math.round(ms), seen: Object.fromEntries(seen) }));
