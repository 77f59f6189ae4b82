/** Walks the command table: every option is read by the code of its command, and one without effect says so. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { GLOBAL_OPTIONS } from '../../src/cli/global-options.ts';

const CLI = join(import.meta.dirname, '../../src/cli');
/** Where options are declared, not read. */
const TABLES = /(?:command-table|\w+-commands|global-options|cli-reference|help-text)\.ts$/;

/** The text of a module of the command line and of those of the command line that it imports. */
function textBelow(file: string, seen = new Set<string>()): string {
  if (seen.has(file) || TABLES.test(file) || !existsSync(file)) return '';
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, path]) =>
    resolve(dirname(file), path as string),
  );
  return [text, ...imported.filter((path) => path.startsWith(CLI)).map((path) => textBelow(path, seen))].join(
    '\n',
  );
}

const moduleOf = (load: () => unknown): string =>
  join(CLI, /commands\/[\w-]+\.ts/.exec(String(load))?.[0] ?? 'none');

/** A literal of the option's name, as `has`, `get` and their like take it. */
const isRead = (text: string, name: string): boolean =>
  text.includes(`'${name}'`) || text.includes(`'--${name}'`);

const options = COMMANDS.flatMap((command) =>
  command.options.map((option) => ({
    name: `${command.name} --${option.name}`,
    option,
    text: textBelow(moduleOf(command.load)),
  })),
);

test('there are commands with options, and their code is found', () => {
  expect(options.length).toBeGreaterThan(100);
  expect(COMMANDS.filter(({ load }) => !existsSync(moduleOf(load))).map(({ name }) => name)).toEqual([]);
});

test('every option of a command is read by it', () => {
  expect(options.filter(({ text, option }) => !isRead(text, option.name)).map(({ name }) => name)).toEqual(
    [],
  );
});

test('every option of all commands is read', () => {
  const text = textBelow(join(CLI, 'main.ts')) + readFileSync(join(CLI, '../../bin/plinth.js'), 'utf8');
  expect(GLOBAL_OPTIONS.filter(({ name }) => !isRead(text, name)).map(({ name }) => name)).toEqual([]);
});

test('an option that does nothing says so in its help, and when it is used', () => {
  const without = options.filter(({ option }) => /^no effect/i.test(option.summary));
  expect(without.map(({ name }) => name)).toEqual(['plan --include-unmodified']);
  for (const { text, option } of without) {
    expect(text).toContain('cli.option-without-effect');
    expect(text).toContain(`--${option.name}`);
  }
});

test('the walk can fail', () => {
  expect(isRead(textBelow(join(CLI, 'commands/plan.ts')), 'never-heard-of')).toBe(false);
});
