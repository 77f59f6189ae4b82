/** Recipes, and the README of each room, name files and folders of the code. A name that the code no longer has fails here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const recipes = join(root, 'docs/recipes');

/** Paths in backquotes, from the root or below `src`; those with a placeholder or a wildcard are left out. */
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w./-]+\/[\w./-]*)`/g)].map(([, path]) => path as string);

const isThere = (path: string): boolean =>
  existsSync(join(root, path)) || existsSync(join(root, 'src', path));

test.each(readdirSync(recipes))('%s names paths that exist', (name) => {
  const text = readFileSync(join(recipes, name), 'utf8');
  expect(pathsIn(text).filter((path) => !isThere(path))).toEqual([]);
});

test('a path that does not exist is found', () => {
  expect(pathsIn('1. `src/compiler/no-room/` and `git grep x`').filter((path) => !isThere(path))).toEqual([
    'src/compiler/no-room/',
  ]);
});

/** The ten changes, each the first words of a paragraph in bold. */
const CHANGES =
  /^\*\*an? (new http endpoint|lint rule|model kind|measure type|method of the state store|verb|format of answers|event|role|limit)\b/i;

/** A change with its room: a path in the line that names it. */
const roomsIn = (text: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const change = CHANGES.exec(line)?.[1];
      return change === undefined ? [] : [[change.toLowerCase(), pathsIn(line)]];
    }),
  );

test('where.md has a room for each of ten changes, and what fails until it is done', () => {
  const text = readFileSync(join(recipes, 'where.md'), 'utf8');
  const rooms = roomsIn(text);
  expect(Object.keys(rooms)).toHaveLength(10);
  expect(Object.entries(rooms).filter(([, paths]) => paths.length === 0)).toEqual([]);
  expect(text.match(/^\d\. Fails: /gm)).toHaveLength(10);
  expect(text.split('\n').length).toBeLessThanOrEqual(60);
});

test('a change without a room is found', () => {
  expect(roomsIn('**A role**: it depends\n**An event**: `src/domain/event.ts`')).toEqual({
    role: [],
    event: ['src/domain/event.ts'],
  });
});

/** Files of code and folders in backquotes. */
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, name = '']) => name);

const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
const readmes = source.filter((name) => basename(name) === 'README.md');

/** A README names what lies below it by the end of its path, and anything else by its path below `src`. */
const isBelow = (readme: string, name: string): boolean =>
  source.some(
    (file) =>
      file.startsWith(`${dirname(readme)}/`) &&
      `/${file}${name.endsWith('/') ? '/' : ''}`.endsWith(`/${name}`),
  ) || isThere(name);

test.each(readmes)('src/%s names what is there', (readme) => {
  const text = readFileSync(join(root, 'src', readme), 'utf8');
  expect(namesIn(text).filter((name) => !isBelow(readme, name))).toEqual([]);
});

test('a name in a README that the code no longer has is found', () => {
  const names = namesIn(
    '`plan.ts`, `change/plan.ts`, `ask/`, `domain/run-json.ts`, `run-json.ts`, `attic/`, `a*.ts`',
  );
  expect(names.filter((name) => !isBelow('operations/README.md', name))).toEqual(['run-json.ts', 'attic/']);
});

const floors = source.filter((name) => /^[a-z]+\/README\.md$/.test(name)).map(dirname);
const rooms = readdirSync(join(root, 'src/operations'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `operations/${name}`);

test.each([...floors, ...rooms])('src/%s says what belongs there', (room) => {
  expect(readmes).toContain(`${room}/README.md`);
});

test('every floor, and every room of operations, is asked for its README', () => {
  expect(floors.length).toBe(
    readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory()).length,
  );
  expect(rooms.length).toBeGreaterThan(5);
});
