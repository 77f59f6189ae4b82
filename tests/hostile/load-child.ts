/** The far side of `loadInProcess`: loads the folder given as argument and prints what came of it, as one line of JSON. */
import { readFileSync } from 'node:fs';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { reportOf } from './report.ts';

const [folder = '.', userCodeMs] = process.argv.slice(2);
const workspace = openWorkspace({
  folder,
  variables: {},
  executionTime: Date.UTC(2026, 0, 2),
  ...(userCodeMs === undefined ? {} : { userCodeMs: Number(userCodeMs) }),
});
try {
  const started = performance.now();
  const report = reportOf(await loadProject(workspace));
  const peakMb = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024;
  process.stdout.write(JSON.stringify({ ...report, ms: Math.round(performance.now() - started), peakMb }));
} finally {
  await workspace.close();
}
