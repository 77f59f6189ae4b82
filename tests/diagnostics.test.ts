import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalog } from '../src/domain/diagnostics/catalog.ts';

const ROOT = join(import.meta.dirname, '..');
const codes = Object.keys(catalog);
const entries = Object.entries(catalog);

describe('the catalog of diagnostics', () => {
  test('docs/errors.md lists exactly the codes of the catalog', () => {
    const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
    const listed = [...page.matchAll(/^### (\S+)$/gm)].map((match) => match[1]);
    expect(listed).toEqual([...codes].sort());
  });
  test('codes are area.what-is-wrong in kebab-case', () =>
    expect(codes.filter((code) => !/^[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*$/.test(code))).toEqual([]));
  test('messages end like sentences and hints do not', () => {
    const wrong = entries.filter(
      ([, entry]) => !/[.?!)}]$/.test(entry.message) || ('hint' in entry && /\.$/.test(entry.hint as string)),
    );
    expect(wrong.map(([code]) => code)).toEqual([]);
  });
  test('messages have at most two sentences and every entry is explained', () => {
    const long = entries.filter(([, { message }]) => (message.match(/[.?!](?=\s+[A-Z{])/g) ?? []).length > 1);
    expect(long.map(([code]) => code)).toEqual([]);
    expect(entries.filter(([, { explain }]) => explain.length < 40).map(([code]) => code)).toEqual([]);
  });
});
