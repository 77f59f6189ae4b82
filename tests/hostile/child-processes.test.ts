import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { Failure } from '../../src/domain/failure.ts';
import { doctor } from '../../src/operations/project/doctor.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { planElsewhere } from '../../src/operations/serve/plan-elsewhere.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { startServer } from '../../src/server/start-server.ts';
import { envelope, runPlinth } from '../e2e/run-plinth.ts';
import { PLAN_OPTIONS } from '../support/served-product.ts';
import { childProcessPlaces, placesIn } from './child-process-places.ts';

/*
 * Wherever the source starts a program, a value that a user can choose must not become an option, a second command or a file name of
 * its own. The places are found in the text of the source; `CASES` has one entry for each, and a place without an entry fails.
 *
 * Each case tries values that would leave a trace: they write the file `canary`, or anything else below the watched folder.
 */

const SOURCE = join(import.meta.dirname, '../../src');
const MODEL = "MODEL (name s.m, kind FULL);\nSELECT 1 AS a, 'x' AS b";

let watched: string;
let canary: string;
let record: string;
const path = process.env['PATH'];

beforeEach(() => {
  watched = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-canary-')));
  canary = join(watched, 'canary');
});
afterEach(() => rmSync(watched, { recursive: true }));

beforeAll(() => {
  // Programs of these names write down what they are given, then do their work.
  const programs = mkdtempSync(join(tmpdir(), 'plinth-programs-'));
  record = join(programs, 'record');
  for (const name of ['git', 'python3']) {
    const real = execFileSync('sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim();
    writeFileSync(
      join(programs, name),
      `#!/bin/sh\nprintf '%s\\0' ${name} "$@" >> '${record}'\nprintf '\\n' >> '${record}'\n${real === '' ? 'exit 127' : `exec '${real}' "$@"`}\n`,
    );
    chmodSync(join(programs, name), 0o755);
  }
  process.env['PATH'] = `${programs}${delimiter}${path}`;
});
afterEach(() => rmSync(record, { force: true }));
afterAll(() => {
  process.env['PATH'] = path;
  rmSync(join(record, '..'), { recursive: true });
});

/** The words of each call of a recorded program. */
const calls = (): readonly (readonly string[])[] =>
  existsSync(record)
    ? readFileSync(record, 'utf8')
        .split('\0\n')
        .filter(Boolean)
        .map((line) => line.split('\0'))
    : [];

/** Values that would write the canary if a program or a shell read them as anything but a value. */
const hostile = (): readonly string[] => [
  `--output=${canary}`,
  `-o${canary}`,
  '-h',
  '-',
  '--',
  '--no-index',
  '--end-of-options',
  `--exec=touch ${canary}`,
  `--upload-pack=touch ${canary}`,
  `--eval=require('fs').writeFileSync('${canary}','')`,
  `--require=${canary}`,
  `--import=data:text/javascript,import('fs').then(f=>f.writeFileSync('${canary}',''))`,
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `; touch ${canary};`,
  `| touch ${canary}`,
  `"; touch ${canary}; "`,
  `'; touch ${canary}; '`,
  `a\ntouch ${canary}\n`,
  `a\n--output=${canary}`,
  `a b --output=${canary}`,
  `${'\0'}--output=${canary}`,
  `a\0--output=${canary}`,
  `HEAD --output=${canary}`,
  `HEAD...--output=${canary}`,
  `HEAD^{/--output=${canary}}`,
  'x'.repeat(300_000),
  '',
];

/** A dash, a command, a second line, a NUL: where each try takes a second. */
const ODD = [0, 12, 18, 22];

/** Everything below a folder with its size and content, `.git/index` and what Plinth keeps beside: both change by themselves. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(^|\/)(\.plinth|\.git)(\/|$)/.test(name))
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => `${name} ${readFileSync(join(folder, name), 'latin1')}`)
    .sort();
}

/** Runs it and sees that nothing appeared, vanished or changed; a refusal is fine when it has a code. */
async function leavesNoTrace(what: string, act: () => unknown): Promise<void> {
  const before = treeOf(watched);
  try {
    await act();
  } catch (error) {
    expect(error, what).toBeInstanceOf(Failure);
    expect((error as Failure).message.length, what).toBeLessThan(2_000);
  }
  expect(treeOf(watched), what).toEqual(before);
  expect(existsSync(canary), what).toBe(false);
}

/** A project in a git repository with one commit. */
function repository(name: string): string {
  const folder = join(watched, name);
  mkdirSync(join(folder, 'models'), { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), 'name: p\ngateways: {local: {connection: {type: duckdb}}}\n');
  writeFileSync(join(folder, 'models/m.sql'), MODEL);
  writeFileSync(join(folder, '.gitignore'), '.plinth\n');
  const git = (...words: readonly string[]): unknown => execFileSync('git', words, { cwd: folder });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '--quiet', '--message=one');
  appendFileSync(join(folder, 'models/m.sql'), '\n');
  return folder;
}

const opened = (folder: string) =>
  openWorkspace({ folder, variables: {}, executionTime: Date.UTC(2026, 0, 2) });

/** Folders whose names would be options or commands. */
const hostileFolders = (): readonly string[] => [
  '--output=x',
  '-c',
  '$(touch canary)',
  '`touch canary`',
  ';touch canary;',
  'a\ntouch canary\n',
  'a b',
  '"',
  "'",
];

const CASES: Readonly<Record<string, () => Promise<void>>> = {
  'adapters/files/git-changes.ts execFileSync': async () => {
    const folder = repository('git');
    const workspace = opened(folder);
    expect(workspace.changedFiles('HEAD')).toEqual(['models/m.sql']);
    expect(workspace.changedFiles('HEAD...HEAD')).toEqual([]);
    writeFileSync(join(folder, 'models/größe "x"\ny.sql'), '');
    expect(workspace.changedFiles('HEAD')).toEqual(['models/m.sql', 'models/größe "x"\ny.sql']);
    for (const ref of hostile()) {
      rmSync(record, { force: true });
      await leavesNoTrace(ref.slice(0, 100), () => workspace.changedFiles(ref));
      for (const words of calls()) expectAfterEndOfOptions(words, ref);
    }
    await workspace.close();
  },
  'adapters/processes/ask-process.ts spawn': async () => {
    for (const name of hostileFolders()) {
      const folder = repository(name);
      const platform = await openPlatform({
        folders: [folder],
        variables: {},
        executionTime: Date.UTC(2026, 0, 2),
      });
      const [product] = platform.products;
      if (product === undefined) throw new Error('nothing is open');
      const work = {
        folder,
        gateway: undefined,
        variables: {},
        executionTime: Date.UTC(2026, 0, 2),
        who: 'a test',
        environment: 'prod',
        options: { ...PLAN_OPTIONS, selection: 'git:HEAD' },
      };
      const planning = new AbortController();
      expect((await planElsewhere(product, work, planning.signal)).kind, name).toBe('planned');
      const few = name === '-c' ? ODD.map((at) => hostile()[at] as string) : [];
      const variables = Object.fromEntries(
        hostile().map((value, at) => [at === 0 ? 'NODE_OPTIONS' : `A${at}${value}`, value]),
      );
      const selection = hostile()
        .map((value) => `git:${value}`)
        .join(' | ');
      for (const changed of [
        ...few.flatMap((value) => [{ who: value, environment: value }, { gateway: value }]),
        ...few.map((value) => ({ who: value, options: { ...PLAN_OPTIONS, start: value } })),
        ...(name === '-c' ? [{ variables }, { options: { ...PLAN_OPTIONS, selection } }] : []),
        ...(name === '-c' ? [{ options: { ...PLAN_OPTIONS, restateModels: hostile() } }] : []),
      ])
        await leavesNoTrace(JSON.stringify(changed).slice(0, 200), () =>
          planElsewhere(product, { ...work, ...changed }, planning.signal),
        );
      await platform.close();
      rmSync(folder, { recursive: true });
    }
  },
  'adapters/engines/duckdb/keeper-start.ts spawn': async () => {
    const home = join(watched, 'keeper');
    for (const name of [...hostile().map((value) => value.replaceAll('/', '_')), ...hostileFolders()]) {
      const what = name.slice(0, 100);
      const isName = name !== '' && name !== '-' && name.length < 200 && !name.includes('\0');
      const folder = isName ? join(home, name) : home;
      mkdirSync(folder, { recursive: true });
      await leavesNoTraceBeside(folder, what, async () => {
        const engine = await duckdbEngine({ database: `${name}.duckdb`, folder, idleMs: 1, who: name });
        try {
          expect((await engine.query('SELECT 42 AS a')).rows, what).toEqual([[42]]);
        } finally {
          await engine.close();
        }
      });
    }
  },
  'cli/commands/doctor.ts execFile': async () => {
    for (const name of hostileFolders()) {
      const folder = repository(name);
      const ended = await runPlinth(['doctor', '--json'], { cwd: folder });
      expect(ended.code, ended.stdout + ended.stderr).toBe(0);
      rmSync(folder, { recursive: true });
    }
    expect(
      new Set(
        calls()
          .map((words) => words.join(' '))
          .filter((words) => !words.startsWith('git')),
      ),
    ).toEqual(new Set(['python3 --version']));
    // What it runs is a constant, whatever there is to look at.
    const asked: (readonly string[])[] = [];
    const tools = {
      nodeVersion: hostile()[0] as string,
      release: hostile()[0] as string,
      platform: `$(touch ${canary})`,
      workspace: undefined,
      folder: `${watched}/$(touch ${canary})`,
      output: (command: string, words: readonly string[]) => {
        asked.push([command, ...words]);
        return Promise.resolve(undefined);
      },
    };
    for await (const _ of doctor(tools));
    expect(asked).toEqual([['python3', '--version']]);
  },
};

/** The files of a database may appear in its own folder; nothing else, anywhere. */
async function leavesNoTraceBeside(folder: string, what: string, act: () => Promise<void>): Promise<void> {
  try {
    await leavesNoTrace(what, async () => {
      try {
        await act();
      } finally {
        for (const file of readdirSync(folder))
          if (/\.duckdb(\.|$)/.test(file)) rmSync(join(folder, file), { recursive: true });
      }
    });
  } finally {
    expect(existsSync(join(folder, 'canary')), what).toBe(false);
  }
}

/** The value is not among the words at all, or one word of its own behind `--end-of-options`. */
function expectAfterEndOfOptions(words: readonly string[], value: string): void {
  const end = words.indexOf('--end-of-options');
  for (const [at, word] of words.entries())
    if (value !== '' && word.includes(value) && !['--', '-'].includes(value) && word !== '--end-of-options')
      expect(end >= 0 && at > end, words.join(' ').slice(0, 300)).toBe(true);
}

describe('programs that the source starts', () => {
  const places = childProcessPlaces(SOURCE);
  test('each has a case here, and each case a place', () => {
    expect(places).toEqual(Object.keys(CASES).sort());
  });
  test('a new place, a second call and a way that cannot be followed are found', () => {
    const named = "import { exec, type ChildProcess, fork } from 'node:child_process';\n";
    expect(placesIn('a.ts', `${named}exec('x'); fork('y'); exec('z');`)).toEqual([
      'a.ts exec',
      'a.ts exec 2',
      'a.ts fork',
    ]);
    for (const text of [
      "import * as all from 'node:child_process';",
      "const { exec } = await import('node:child_process');",
      "require('child_process').exec('x')",
      "import { exec as run } from 'node:child_process';",
      "import { exec } from 'node:child_process';\nconst run = promisify(exec);",
      "process.getBuiltinModule('child_process')",
      "process.execve('/bin/sh')",
      "import cluster from 'node:cluster';",
    ])
      expect(() => placesIn('a.ts', text), text).toThrow('a.ts');
  });
  test.each(Object.entries(CASES))('%s: hostile values do nothing', (_, attempt) => attempt(), 300_000);
});

describe('hostile selections through the doors', () => {
  const selections = (): readonly string[] =>
    hostile()
      .map((value) => `git:${value}`)
      .filter((value) => value.length < 5_000);

  test('at the command line', async () => {
    const folder = repository('door-cli');
    for (const selection of [
      `git:--output=${canary}`,
      `git:-o${canary}`,
      'git:HEAD',
      `git:$(touch ${canary})`,
    ])
      for (const command of ['plan', 'run', 'audit'])
        await leavesNoTrace(`${command} ${selection}`, async () => {
          const ended = await runPlinth([command, `--select=${selection}`, '--json'], { cwd: folder });
          expect([0, 1, 2], ended.stdout + ended.stderr).toContain(ended.code);
          if (ended.code !== 0) expect(envelope(ended).error?.['code']).not.toBe('cli.bug');
        });
  }, 300_000);

  test('over HTTP', async () => {
    const folder = repository('door-http');
    const server = await startServer({
      folders: [folder],
      variables: {},
      executionTime: Date.UTC(2026, 0, 2),
      host: '127.0.0.1',
      port: 0,
      auth: 'disabled',
      hasScheduler: false,
      isForced: false,
      log: () => undefined,
    });
    try {
      const base = `${server.url}/plinth/tenants/default/data-products/default-p/api/v1`;
      for (const select of [...ODD.map((at) => selections()[at] as string), selections().join(' | ')])
        for (const verb of ['plans', 'runs'])
          await leavesNoTrace(`${verb} ${select.slice(0, 100)}`, async () => {
            const answer = await fetch(`${base}/activity/${verb}`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ environment: 'prod', select }),
            });
            expect(answer.status, await answer.text()).toBeLessThan(500);
          });
    } finally {
      await server.close();
    }
  }, 300_000);
});
