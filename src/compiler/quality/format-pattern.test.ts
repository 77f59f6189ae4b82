import { expect, test } from 'vitest';
import { DQ_FORMATS } from '../load/yaml/dq-assertions.ts';
import { formatPattern } from './format-pattern.ts';

test('every format that a rule may name has a pattern that compiles, except json', () => {
  const without = DQ_FORMATS.filter((name) => formatPattern(name) === undefined);
  expect(without).toEqual(['json']);
  for (const name of DQ_FORMATS) new RegExp(formatPattern(name) ?? '', 'u');
  expect(new Set(DQ_FORMATS).size).toBe(DQ_FORMATS.length);
});
