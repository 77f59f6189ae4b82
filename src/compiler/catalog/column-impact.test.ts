import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryProject } from '../../../tests/support/temporary-project.ts';
import type { ImpactFocus, SupposedChange } from '../../domain/impact.ts';
import type { Project } from '../../domain/project.ts';
import { columnImpact } from './column-impact.ts';

const files = temporaryProject({
  'config.yaml': 'name: i\nmodel_defaults: {dialect: duckdb}\n',
  'models/a.sql': 'MODEL (name s.a, kind FULL);\nSELECT 1 AS id, 2 AS amount, 3 AS other\n',
  'models/b.sql': 'MODEL (name s.b, kind VIEW);\nSELECT id, amount * 2 AS doubled, other FROM s.a\n',
  'models/filtered.sql': 'MODEL (name s.filtered, kind VIEW);\nSELECT id FROM s.a WHERE amount > 1\n',
  'models/star.sql': 'MODEL (name s.star, kind VIEW);\nSELECT * FROM s.a\n',
  'models/semantics/b.yml':
    'kind: semantic\nname: sales\ndepends_on: s.b\nprimary_key: [id]\ndimensions: [id, other]\nmeasures:\n  - {name: total, type: sum, expression: doubled}\n  - {name: others, type: sum, expression: other}\n  - {name: twice, type: number, expression: "{total} * 2"}\n',
  'models/metrics/total.yml': 'kind: metric\nname: total\nmeasure: sales.total\n',
  'models/metrics/share.yml':
    'kind: metric\nname: share\ntype: derived\nexpression: "{total} / 2"\ninputs: [total]\n',
  'models/metrics/others.yml': 'kind: metric\nname: others\nmeasure: sales.others\n',
});
let project: Project;
beforeAll(async () => {
  project = (await files.load()).project;
});
afterAll(() => files.delete());

const amount: ImpactFocus = { columns: { model: 's.a', names: ['amount'] } };
const effects = (focus: ImpactFocus, change: SupposedChange): Readonly<Record<string, string>> =>
  Object.fromEntries(columnImpact(project, { focus, change }).nodes.map(({ id, effect }) => [id, effect]));

describe('columnImpact', () => {
  test('follows a column into columns, members and metrics, and into nothing that is not made of it', () => {
    expect(effects(amount, 'values')).toEqual({
      's.b.doubled': 'changes',
      's.filtered.id': 'changes',
      's.star.amount': 'changes',
      'semantic:sales.total': 'changes',
      'semantic:sales.twice': 'changes',
      'metric:total': 'changes',
      'metric:share': 'changes',
    });
  });
  test('a dropped column breaks every model that names it, with all its columns, and takes one column of a star', () => {
    const found = effects(amount, 'drop');
    expect(found).toMatchObject({
      's.b.id': 'breaks',
      's.b.doubled': 'breaks',
      's.filtered.id': 'breaks',
      's.star.amount': 'breaks',
      'semantic:sales.others': 'breaks',
      'metric:others': 'breaks',
    });
    expect(Object.keys(found)).not.toContain('s.star.id');
  });
  test('counts the steps, and links each thing to what it is reached from', () => {
    const { nodes, edges } = columnImpact(project, { focus: amount, change: 'type' });
    const distances = Object.fromEntries(nodes.map(({ id, distance }) => [id, distance]));
    expect(distances).toMatchObject({
      's.b.doubled': 1,
      'semantic:sales.total': 2,
      'metric:total': 3,
      'metric:share': 4,
    });
    expect(edges).toContainEqual({ from: 's.a.amount', to: 's.b.doubled' });
    expect(edges).toContainEqual({ from: 's.b.doubled', to: 'semantic:sales.total' });
    expect(edges).toContainEqual({ from: 'metric:total', to: 'metric:share' });
    const known = new Set([...nodes.map(({ id }) => id), 's.a.amount']);
    for (const { from, to } of edges) expect([known.has(from), known.has(to)]).toEqual([true, true]);
  });
  test('begins at a member or a metric as well', () => {
    expect(effects({ members: ['sales.total'] }, 'values')).toEqual({
      'semantic:sales.twice': 'changes',
      'metric:total': 'changes',
      'metric:share': 'changes',
    });
    expect(effects({ metric: 'total' }, 'drop')).toEqual({ 'metric:share': 'breaks' });
  });
});
