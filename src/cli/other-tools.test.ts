import { expect, test } from 'vitest';
import { COMMANDS } from './command-table.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { OTHER_TOOLS } from './other-tools.ts';
import { parseArguments } from './parse-arguments.ts';

const commandNames = COMMANDS.flatMap(({ name, nameElsewhere = name }) => [name, nameElsewhere]);
const optionNames = [...COMMANDS.flatMap(({ options }) => options), ...GLOBAL_OPTIONS].map(
  ({ name }) => name,
);
const hints = Object.values(OTHER_TOOLS).flatMap((words) => Object.entries(words));
const hintOf = (...argv: readonly string[]): string | undefined => {
  const line = parseArguments(argv, { commands: COMMANDS, globalOptions: GLOBAL_OPTIONS });
  return line.ok ? 'understood' : line.problem.hint;
};

test.each(hints)('the hint for %s names commands and options that there are', (_, hint) => {
  for (const [, name] of hint.matchAll(/\bplinth ([a-z-]+)/g)) expect(commandNames).toContain(name);
  for (const [, name] of hint.matchAll(/--([a-z-]+)/g)) expect(optionNames).toContain(name);
});

test.each(Object.entries(OTHER_TOOLS.commands))('%s is answered with what is used here', (name, hint) => {
  expect(commandNames).not.toContain(name);
  expect(hintOf(name)).toBe(hint);
  // With dashes, too, where that is not a command of ours.
  const dashed = name.replaceAll('_', '-');
  if (!commandNames.includes(dashed)) expect(hintOf(dashed)).toBe(hint);
});

test.each(['constructor', 'toString', '__proto__'])('%s is a command of no tool', (name) => {
  expect([undefined, 'plinth help lists the commands']).toContain(hintOf(name));
});

test.each(Object.entries(OTHER_TOOLS.options))('plan %s is answered with what is used here', (name, hint) => {
  expect(hintOf('plan', name)).toBe(hint);
});
