import { expect, test } from 'vitest';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Problem } from './problem.ts';

const invalid = (count: string, ...paths: readonly string[]): string =>
  new Problem(422, diagnostic('http.invalid', { count }), {
    errors: paths.map((path) => ({ path, message: 'is not known here' })),
  }).what.message;

test('the detail of a request that is wrong names the first thing', () => {
  expect(invalid('one thing', 'body/sqll')).toBe(
    'The request has one thing wrong: body/sqll is not known here.',
  );
  expect(invalid('2 things', 'body/sqll', 'body/wiat')).toBe(
    'The request has 2 things wrong: body/sqll is not known here, ….',
  );
});
