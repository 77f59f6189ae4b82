import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command } from './command.ts';
import { COMMANDS } from './command-table.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { parseArguments } from './parse-arguments.ts';

const load = (): Promise<never> => Promise.reject(new Error('not loaded in this test'));
const commands: readonly Command[] = [
  {
    name: 'render',
    summary: 'print SQL',
    arguments: [{ name: 'model', summary: 'name of a model', isRequired: true }],
    options: [
      { name: 'dialect', value: 'NAME', summary: 'another dialect' },
      { name: 'format', value: 'FORMAT', choices: ['text', 'json'], summary: 'form' },
      { name: 'all', short: 'a', summary: 'everything' },
    ],
    examples: [],
    load,
  },
  {
    name: 'paths',
    summary: 'many',
    arguments: [{ name: 'path', summary: 'a path', isMany: true }],
    options: [],
    examples: [],
    load,
  },
];
const parse = (...argv: string[]): ReturnType<typeof parseArguments> =>
  parseArguments(argv, { commands, globalOptions: GLOBAL_OPTIONS });
const codeOf = (...argv: string[]): string | undefined => {
  const line = parse(...argv);
  return line.ok ? undefined : line.problem.code;
};

describe('a command line', () => {
  test('has its command, words, switches and values taken apart', () => {
    expect(parse('render', 'a.b', '--dialect', 'duckdb', '-a', '--project=x')).toMatchObject({
      ok: true,
      command: { name: 'render' },
      arguments: ['a.b'],
      switches: new Set(['all']),
      values: new Map([
        ['dialect', 'duckdb'],
        ['project', 'x'],
      ]),
    });
  });
  test('may have global options before the command', () =>
    expect(parse('--project', 'x', '--json', 'render', 'a.b')).toMatchObject({
      ok: true,
      command: { name: 'render' },
      switches: new Set(['json']),
    }));
  test('takes everything behind -- as words', () =>
    expect(parse('paths', '--', '--json', '-x')).toMatchObject({ ok: true, arguments: ['--json', '-x'] }));
  test('takes a negative relative time as a value', () =>
    expect(parse('render', 'a.b', '--execution-time', '-3d')).toMatchObject({
      ok: true,
      values: new Map([['execution-time', '-3d']]),
    }));
  test('without a command is fine: help is shown', () =>
    expect(parse('--quiet')).toMatchObject({ ok: true, arguments: [] }));
  test('with --help needs no arguments', () => expect(parse('render', '--help')).toMatchObject({ ok: true }));
});

describe('a wrong command line', () => {
  test.each([
    [['rendr'], 'cli.unknown-command'],
    [['render', 'a', '--dialct', 'x'], 'cli.unknown-option'],
    [['--all', 'render', 'a'], 'cli.unknown-option'],
    [['render', 'a', '--dialect'], 'cli.option-needs-value'],
    [['render', 'a', '--dialect', '--json'], 'cli.option-needs-value'],
    [['render', 'a', '--dialect='], 'cli.option-needs-value'],
    [['render', 'a', '--all=yes'], 'cli.option-takes-no-value'],
    [['render', 'a', '--format', 'xml'], 'cli.bad-value'],
    [['render'], 'cli.missing-argument'],
    [['render', 'a', 'b'], 'cli.too-many-arguments'],
  ])('%j is %s', (argv, code) => expect(codeOf(...argv)).toBe(code));
  test('names the nearest command and option', () => {
    const command = parse('rendr');
    const option = parse('render', 'a', '--dialct');
    expect([command, option].map((line) => (line.ok ? '' : line.problem.hint))).toEqual([
      'did you mean render?',
      'did you mean --dialect?',
    ]);
  });
  test('still tells that --json was asked for, before or behind the mistake', () => {
    expect(parse('rendr', 'x', '--json').switches).toEqual(new Set(['json']));
    expect(parse('render', '--oops', '--json').switches).toEqual(new Set(['json']));
  });
  test('never makes the parser throw, whatever is written', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('render', '--', '--json', '--project', '-p', '-', '--format=x', '-1d'),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (argv) => typeof parse(...argv).ok === 'boolean'),
    );
  });
});

describe('the command table', () => {
  test('has three examples for every command it shows, each of them understood', () => {
    for (const { name, examples, isHidden } of COMMANDS) {
      if (isHidden !== true) expect(examples, name).toHaveLength(3);
      for (const { line } of examples) {
        // As a shell takes it apart: up to a pipe or a redirection, quotes removed.
        const alone = line.replace(/^source <\(|(?<!')\)$| [>|] .*$/g, '');
        const argv = [...alone.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word).slice(1);
        expect(
          parseArguments(argv, { commands: COMMANDS, globalOptions: GLOBAL_OPTIONS }),
          line,
        ).toMatchObject({ ok: true });
      }
    }
  });
  test('has no option twice in a command', () => {
    for (const { name, options } of COMMANDS) {
      const names = [...options, ...GLOBAL_OPTIONS].flatMap((option) => [
        option.name,
        ...(option.short === undefined ? [] : [option.short]),
      ]);
      expect(new Set(names).size, name).toBe(names.length);
    }
  });
});
