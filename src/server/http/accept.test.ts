import { describe, expect, test } from 'vitest';
import { isAcceptable } from './accept.ts';

const JSON_ONLY = ['application/json'];

describe('what a caller takes', () => {
  test.each([
    ['', true],
    ['*/*', true],
    ['application/*', true],
    ['application/json', true],
    ['APPLICATION/JSON; charset=utf-8', true],
    ['text/html, */*;q=0.1', true],
    ['application/json;q=0.001', true],
    ['text/html', false],
    ['application/json;q=0', false],
    ['*/*;q=0', false],
    ['application/*;q=0, */*', false],
    ['*/*;q=0, application/json', true],
    ['application/json;q=0.0, */*', false],
    ['application/jsonp', false],
    [', ,', true],
  ])('%j: JSON is acceptable %s', (accept, expected) => {
    expect(isAcceptable(accept, JSON_ONLY)).toBe(expected);
  });

  test('one of several types is enough', () => {
    expect(isAcceptable('text/csv', ['application/json', 'text/csv'])).toBe(true);
    expect(isAcceptable('text/*', ['application/json', 'text/csv'])).toBe(true);
  });
});
