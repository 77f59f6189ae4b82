/** Rules for tests themselves, each run on a planted violation too. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CAMPAIGN_ROOMS } from '../scripts/test-rooms.ts';

const ROOT = join(import.meta.dirname, '..');
const files = ['src', 'tests', 'bench'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && (folder !== 'src' || name.includes('.test')))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(join(ROOT, folder, name), 'utf8') })),
);

const RULES: Readonly<Record<string, { readonly wrong: RegExp; readonly planted: string }>> = {
  'no test asserts how soon something was by the clock: cpuMs() or expectWithin()': {
    wrong: /expect(?:\.soft)?\([^;]*?\b(?:performance|Date)\.now\(\) - [^;]*?\)\s*\.toBeLess/,
    planted: 'expect(performance.now() - begin)\n  .toBeLessThan(10);',
  },
  'what cannot be tried here is skipped and counted, never left green': {
    wrong: /if \([^\n]*(?:whyNo\w+|\bobstacle\b)[^\n]*\) return;/,
    planted: "if (at === 'call' && (await whyNoTracing()) !== undefined) return;",
  },
  'a skipped test says why': {
    wrong: /\.skip\(\s*\)/,
    planted: 'if (!mount(folder)) context.skip();',
  },
};

test.each(Object.keys(RULES))('%s', (rule) => {
  const { wrong, planted } = RULES[rule] as (typeof RULES)[string];
  expect(wrong.test(planted)).toBe(true);
  const own = 'tests/honest-tests.test.ts';
  expect(files.filter(({ name, text }) => name !== own && wrong.test(text)).map(({ name }) => name)).toEqual(
    [],
  );
});

test('what npm test leaves to npm run test:campaigns is there, and CI runs both', () => {
  for (const room of CAMPAIGN_ROOMS)
    expect(
      files.some(({ name }) => name.startsWith(room) && name.endsWith('.test.ts')),
      room,
    ).toBe(true);
  expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toContain('for part in test test:campaigns');
});

/** Files of `tests/` outside of rooms: rules about the repository, what vitest.config.ts names, and the PostgreSQL of the tests. */
const AT_THE_TOP =
  /^tests\/(?:(?:architecture|glossary|honest-tests|plain-words|recipe-paths|diagnostics)\.test|build-first|built-worker-url|property-seed|falling-counts|postgres-server|postgres-state)\.ts$/;
const withoutRoom = (names: readonly string[]): readonly string[] =>
  names.filter((name) => /^tests\/[^/]+$/.test(name) && !AT_THE_TOP.test(name));

test('a test is in a room, and tests/README.md says what belongs there', () => {
  expect(withoutRoom(['tests/some.test.ts'])).toHaveLength(1);
  expect(withoutRoom(files.map(({ name }) => name))).toEqual([]);
  const rooms = readdirSync(join(ROOT, 'tests'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const lines = readFileSync(join(ROOT, 'tests/README.md'), 'utf8').matchAll(/^\| `([a-z0-9-]+)\/` \|/gm);
  expect([...lines].map(([, room]) => room)).toEqual(rooms.sort());
});

/** Modules of `src` that only tests import; what a process or package.json starts with is imported by nothing. */
function onlyForTests(modules: typeof sources): readonly string[] {
  const imported = new Set(
    modules.flatMap(({ name, text }) =>
      [...text.matchAll(/'(\.[^'\n]+\.ts)'/g)].map(([, to = '']) => join(name, '..', to)),
    ),
  );
  return modules
    .map(({ name }) => name)
    .filter((name) => name.startsWith('src/') && !imported.has(name) && !STARTS.test(name));
}
const STARTS = /^src\/(?:main|index|client\/index)\.ts$|-worker\.ts$|\/keeper\.ts$/;
const sources = ['src', 'scripts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(join(ROOT, folder, name), 'utf8') })),
);

test('what only tests import is in tests/', () => {
  expect(onlyForTests([{ name: 'src/domain/fake.ts', text: '' }])).toEqual(['src/domain/fake.ts']);
  expect(onlyForTests(sources)).toEqual([]);
});
