import { expect, test } from 'vitest';
import { isIgnored } from './is-ignored.ts';

// Recorded from pathlib's match, which SQLMesh uses.
test.each([
  ['models/a.draft.sql', '*.draft.sql', true],
  ['models/x/a.draft.sql', '*.draft.sql', true],
  ['models/a.sql', '*.draft.sql', false],
  ['models/old/a.sql', 'old/*', true],
  ['models/old/deep/a.sql', 'old/*', false],
  ['models/old/a.sql', 'models/*/a.sql', true],
  ['models/old/a.sql', 'models/a.sql', false],
  ['models/a.sql', './models/a.sql', true],
  ['models/ab.sql', 'a?.sql', true],
  ['models/a.sql', '*', true],
  ['models/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', '*a*a*a*a*a*a*a*a*c', false],
])('%s and %s: %s', (path, pattern, expected) => {
  expect(isIgnored(path, [pattern])).toBe(expected);
});
