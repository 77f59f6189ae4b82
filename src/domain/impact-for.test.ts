import { expect, test } from 'vitest';
import type { ImpactReport } from './impact.ts';
import { impactFor } from './impact-for.ts';
import type { Perspective } from './perspective.ts';

const perspective = (slug: string, kind: 'private' | 'product'): Perspective =>
  ({ id: slug, slug, name: slug, owner: { id: 'u_bea', name: 'bea' }, visibility: { kind } }) as Perspective;
const way = { how: ['value'], through: ['s.a.x', 's.hidden.y', 'people.spend'] } as const;
const REPORT: ImpactReport = {
  models: [
    { name: 's.a', columns: [{ name: 'x', ...way }] },
    { name: 's.hidden', columns: [] },
  ],
  semantics: [
    { kind: 'semantic', name: 'people', members: ['spend', 'secret'], through: way.through },
    { kind: 'metric', name: 'secret', members: [], through: [] },
  ],
  perspectives: [
    { perspective: perspective('open', 'product'), ...way },
    { perspective: perspective('closed', 'private'), ...way },
  ],
  followers: [
    { party: { kind: 'user', name: 'ann' }, target: 'perspective:open' },
    { party: { kind: 'user', name: 'bea' }, target: 'perspective:open' },
    { party: { kind: 'user', name: 'ann' }, target: 'perspective:closed' },
    { party: { kind: 'user', name: 'ann' }, target: 'metric:secret' },
  ],
  consumers: [
    { principalId: 'u_ann', name: 'ann', statements: 1, lastAt: 0, through: ['s.a'] },
    { principalId: 'u_bea', name: 'bea', statements: 1, lastAt: 0, through: ['s.a'] },
  ],
  untouched: {
    models: ['s.b', 's.gone'],
    members: ['people.heads', 'people.mark'],
    metrics: ['secret'],
    perspectives: [perspective('quiet', 'private')],
  },
};

test('a reader is shown nothing of what they may not know: no names, no ways through it, no numbers', () => {
  const shown = impactFor(REPORT, {
    viewer: { principalId: 'u_ann', shareKeys: [], isAdmin: false },
    parties: new Set(['user:ann']),
    seesStatements: false,
    knows: {
      models: new Set(['s.a', 's.b']),
      members: new Set(['people.spend', 'people.heads']),
      metrics: new Set(),
    },
  });
  expect(shown.models.map(({ name }) => name)).toEqual(['s.a']);
  expect(shown.semantics).toEqual([
    { kind: 'semantic', name: 'people', members: ['spend'], through: ['s.a.x', 'people.spend'] },
  ]);
  expect(shown.perspectives.map(({ perspective: { slug }, through }) => [slug, through])).toEqual([
    ['open', ['s.a.x', 'people.spend']],
  ]);
  expect(shown.followers).toEqual([{ party: { kind: 'user', name: 'ann' }, target: 'perspective:open' }]);
  expect(shown.consumers.map(({ name }) => name)).toEqual(['ann']);
  expect(shown.untouched).toEqual({
    models: ['s.b'],
    members: ['people.heads'],
    metrics: [],
    perspectives: [],
  });
});
