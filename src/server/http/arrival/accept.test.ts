import { describe, expect, test } from 'vitest';
import { isAcceptable, preferredType } from './accept.ts';

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

test.each([
  ['text/csv', 'text/csv'],
  ['*/*', 'application/json'],
  ['application/json;q=0.5, text/csv', 'text/csv'],
  ['text/csv;q=0.1, */*;q=0.9', 'application/json'],
  ['application/*;q=0.2, text/csv;q=0.2', 'application/json'],
  ['', 'application/json'],
  ['image/png', undefined],
])('of two types %s likes %s best', (accept, type) => {
  expect(preferredType(accept, ['application/json', 'text/csv'])).toBe(type);
});
