/** Recipes name files and folders of the code. A name that the code no longer has fails here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
