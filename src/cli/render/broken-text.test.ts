import { expect, test } from 'vitest';
import type { Perspective } from '../../domain/perspective.ts';
import { brokenText } from './broken-text.ts';

const perspective = { slug: 'board', owner: { id: 'u_1', name: 'ada' } } as Perspective;

test('each perspective that a plan breaks is named with its owner, the reason, and a rename that explains it', () => {
  expect(brokenText([])).toEqual([]);
  const renames = [{ model: 'orders', from: 'revenue', to: 'sales' }];
  const broken = [
    { perspective, because: 'there is no model a.b' },
    { perspective, because: 'gone', rewrite: { query: { kind: 'sql', sql: '' }, renames } as const },
  ];
  expect(brokenText(broken)).toEqual([
    '',
    'Breaks 2 perspectives',
    '  board of ada: there is no model a.b',
    '  board of ada: gone',
    '    orders.revenue → orders.sales: plinth perspective rewrite board, once the plan is applied',
  ]);
});
