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
}

/** Why an edit cannot be made; undefined when it can. */
export function editProblem({ file, find }: Edit): string | undefined {
  const count = readFileSync(join(ROOT, file), 'utf8').split(find).length - 1;
  return count === 1 ? undefined : `${file} has the text ${count} times: ${find}`;
}

/** Runs the mechanism of a defect in a copy of the repository that has it; the copy is removed. */
export async function plant({ edits, mechanism }: Pick<Defect, 'edits' | 'mechanism'>): Promise<Verdict> {
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
    if (mechanism.needsBuild) {
      const built = await run(copy, 'node', ['scripts/build.ts'], {});
      if (!built.isFine) throw new Error(`the copy cannot be built:\n${built.output}`);
    }
    const { isFine, output } = await run(
      copy,
      'vitest',
      ['run', '--bail=1', mechanism.file],
      mechanism.variables ?? {},
    );
    // A copy whose tests do not even begin would look like a defect that was found.
    if (!isFine && !/Tests\s.*failed/.test(output)) throw new Error(`no test ran:\n${output}`);
    return { isFound: !isFine, output };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function run(
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
