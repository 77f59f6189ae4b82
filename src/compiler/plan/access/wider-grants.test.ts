import { expect, test } from 'vitest';
import { widerGrants } from './wider-grants.ts';

test('what is given to a principal who did not have it is told, by key; what is taken away is not', () => {
  const before = [
    { principal: 'analysts', role: 'consumer' },
    { principal: 'support', models: ['raw.customers'] },
    { principal: 'gone', role: 'owner' },
  ];
  const after = [
    { principal: 'analysts', role: 'editor' },
    { principal: 'support', models: ['raw.customers', 'raw.orders'] },
    { principal: 'testers', environments: ['dev'] },
    { principal: 'auditors', policies: 'exempt' },
    { principal: 'emil', groups: ['eu'] },
  ];
  const found = widerGrants(before, after);
  expect(found.map(({ who, name, before: had, after: has }) => [who, name, had, has])).toEqual([
    ['analysts', 'role', ['consumer'], ['editor']],
    ['support', 'models', ['raw.customers'], ['raw.customers', 'raw.orders']],
    ['testers', 'environments', [], ['dev']],
    ['auditors', 'policies', [], ['exempt']],
    ['emil', 'groups', [], ['eu']],
  ]);
  expect(widerGrants(after, before)).toEqual([expect.objectContaining({ who: 'gone', name: 'role' })]);
});

test('several entries of one principal count together, viewer is consumer, and a role that is lower is not wider', () => {
  expect(
    widerGrants(
      [
        { principal: 'a', role: 'owner' },
        { principal: 'a', models: ['m.x'] },
      ],
      [
        { principal: 'a', role: 'consumer', models: ['m.x'] },
        { principal: 'a', role: 'viewer' },
      ],
    ),
  ).toEqual([]);
  expect(widerGrants([{ principal: 'a', role: 'owner' }], [{ principal: 'a', role: 'king' }])).toHaveLength(
    1,
  );
});
