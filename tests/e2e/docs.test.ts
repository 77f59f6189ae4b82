/** The commands in the documentation are run: a page that shows a command that fails is wrong. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-docs-'));
  symlinkSync(join(ROOT, 'bin'), join(folder, 'bin'));
  run('bin/plinth init shop', folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(command: string, cwd: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    timeout: 180_000,
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, output: `${stdout}${stderr}` };
}

/** Lines after `$ ` in console blocks, without their comments. */
function commandsOf(page: string): readonly string[] {
  const blocks = [...page.matchAll(/```console\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  return blocks.flatMap((block) =>
    [...block.matchAll(/^\$ (.*?)(?:\s+#.*)?$/gm)].map((match) => match[1] as string),
  );
}

const pages = [
  'README.md',
  'examples/shop/README.md',
  ...['docs', 'docs/guides'].flatMap((sub) =>
    readdirSync(join(ROOT, sub))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${sub}/${name}`),
  ),
];
const withCommands = pages
  .map((page) => ({ page, commands: commandsOf(readFileSync(join(ROOT, page), 'utf8')) }))
  .filter(({ commands }) => commands.length > 0);

describe('commands in the documentation work', () => {
  test('there are some', () =>
    expect(withCommands.flatMap(({ commands }) => commands).length).toBeGreaterThan(5));
  test.each(withCommands)('$page', { timeout: 600_000 }, ({ page, commands }) => {
    let cwd = page.startsWith('examples/shop') ? join(folder, 'shop') : folder;
    for (const command of commands) {
      const moved = /^cd (\S+)$/.exec(command)?.[1];
      if (moved !== undefined) {
        cwd = resolve(cwd, moved);
        continue;
      }
      const { status, output } = run(command, cwd);
      expect(status, `${command}\n${output}`).toBe(0);
    }
  });
  test('a command that fails would be seen', () =>
    expect(run('bin/plinth no-such-command', folder).status).not.toBe(0));
});
