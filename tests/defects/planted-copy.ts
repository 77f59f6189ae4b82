import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Defect, Edit } from './defect.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = ['src', 'tests', 'scripts', 'bin', 'examples', 'docs', 'python', 'bench', 'package.json'];
const TOOLS = ['tsconfig.json', 'vitest.config.ts'];
const TIME_MAX_MS = 20 * 60_000;

/** What a mechanism said about a copy with a defect in it. */
export interface Verdict {
  readonly isFound: boolean;
  readonly output: string;
  /** The test that failed first, and the first line of why. */
  readonly failed?: { readonly test: string; readonly words: string };
}

/** Why an edit cannot be made; undefined when it can. */
export function editProblem({ file, find }: Edit): string | undefined {
  const count = readFileSync(join(ROOT, file), 'utf8').split(find).length - 1;
  return count === 1 ? undefined : `${file} has the text ${count} times: ${find}`;
}

/** Runs the mechanism of a defect in a copy of the repository that has it. */
export function plant({ edits, mechanism }: Pick<Defect, 'edits' | 'mechanism'>): Promise<Verdict> {
  return inPlantedCopy(edits, async (run) => {
    const { isFine, output } = await run('vitest', ['run', '--bail=1', mechanism.file], mechanism.variables);
    if (isFine) return { isFound: false, output };
    // A copy whose tests do not even begin, or that had no time to, would look like a defect that was found.
    const failed = firstFailure(output);
    if (failed === undefined) throw new Error(`no test ran:\n${output}`);
    if (/^Error: (?:Test|Hook) timed out/.test(failed.words))
      throw new Error(`${failed.test}: ${failed.words}`);
    return { isFound: true, output, failed };
  });
}

/** Runs a command of the project in a copy of it. */
export type RunInCopy = (
  command: string,
  args: readonly string[],
  variables?: Readonly<Record<string, string>>,
) => Promise<{ readonly isFine: boolean; readonly output: string }>;

/** Works in a copy of the repository that has the edits; the copy is removed. */
export async function inPlantedCopy<Result>(
  edits: readonly Edit[],
  work: (run: RunInCopy) => Promise<Result>,
): Promise<Result> {
  const copy = mkdtempSync(join(tmpdir(), 'plinth-defect-'));
  try {
    for (const name of [...COPIED, ...TOOLS])
      cpSync(join(ROOT, name), join(copy, name), {
        recursive: true,
        filter: (path) => !/\/(?:\.peers|\.plinth|__pycache__|\.venv)$/.test(path),
      });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (const edit of edits) {
      const problem = editProblem(edit);
      if (problem !== undefined) throw new Error(problem);
      const path = join(copy, edit.file);
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(edit.find, () => edit.replace),
      );
    }
    return await work((command, args, variables = {}) => runIn(copy, command, args, variables));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Of what vitest says at the end: `FAIL  file > name of the test`, then its error. */
function firstFailure(output: string): Verdict['failed'] {
  const [, test, words] = /^ *FAIL +(.+)\n(?: *FAIL .+\n)*(.+)$/m.exec(output) ?? [];
  return test === undefined || words === undefined || !/Tests\s.*failed/.test(output)
    ? undefined
    : { test, words: words.slice(0, 300) };
}

function runIn(
  cwd: string,
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly isFine: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(
      join(ROOT, 'node_modules/.bin', command),
      args,
      {
        cwd,
        timeout: TIME_MAX_MS,
        maxBuffer: 64 * 1024 * 1024,
        env: { ...process.env, NO_COLOR: '1', ...variables },
      },
      (error, stdout, stderr) => resolve({ isFine: error === null, output: `${stdout}${stderr}` }),
    );
  });
}
