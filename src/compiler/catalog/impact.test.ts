import { expect, test } from 'vitest';
import { temporaryProject } from '../../../tests/support/temporary-project.ts';
import type { Impact } from '../../domain/impact.ts';
import type { Change } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import { changedNames, impactOf, reachOfChanges } from './impact.ts';

const FILES = {
  'config.yaml': 'name: i\nmodel_defaults: {dialect: duckdb}\n',
  'models/a.sql': 'MODEL (name s.a, kind FULL);\nSELECT 1 AS id, 2 AS amount, 3 AS other\n',
  'models/b.sql': 'MODEL (name s.b, kind VIEW);\nSELECT id, amount * 2 AS doubled, other FROM s.a\n',
  'models/semantics/b.yml':
    'kind: semantic\nname: sales\ndepends_on: s.b\nprimary_key: [id]\ndimensions: [id, other]\nmeasures:\n  - {name: total, type: sum, expression: doubled}\n  - {name: others, type: sum, expression: other}\n',
  'models/metrics/total.yml': 'kind: metric\nname: total\nmeasure: sales.total\n',
  'models/metrics/share.yml':
    'kind: metric\nname: share\ntype: derived\nexpression: "{total} / 2"\ninputs: [total]\n',
  'models/metrics/others.yml': 'kind: metric\nname: others\nmeasure: sales.others\n',
};
function listed(project: Project, changes: readonly Change[]): readonly Impact[] {
  const { members, metrics } = impactOf(
    project,
    changedNames(changes),
    reachOfChanges(project.models, changes),
  );
  return [...members, ...metrics];
}
const change = (name: string, more: Partial<Change>): Change => ({
  kind: 'model',
  name,
  change: 'direct',
  category: 'breaking',
  reason: '',
  columns: { added: [], removed: [], changed: [] },
  ...more,
});

test('a changed column reaches the members and metrics that are made of it, and no others', async () => {
  const project = temporaryProject(FILES);
  try {
    const { project: loaded } = await project.load();
    const names = (changes: readonly Change[]) =>
      listed(loaded, changes).map(({ kind, name, members, through }) => [kind, name, members, through]);
    expect(
      names([
        change('s.a', { proof: { kind: 'columns', columns: ['amount'] } }),
        change('s.b', { change: 'indirect', proof: { kind: 'columns', columns: ['doubled'] } }),
      ]),
    ).toEqual([
      ['semantic', 'sales', ['total'], ['s.b.doubled']],
      ['metric', 'total', [], ['s.b.doubled']],
      ['metric', 'share', [], ['s.b.doubled']],
    ]);
    expect(
      names([
        change('s.a', {
          columns: { added: ['more'], removed: [], changed: [] },
          proof: { kind: 'additive', columns: [] },
        }),
      ]),
    ).toEqual([]);
    expect(names([change('s.a', { category: 'metadata', change: 'metadata' })])).toEqual([]);
    // A change of rows names no column: all of them may be different.
    expect(names([change('s.a', {})]).map(([, name]) => name)).toEqual(['sales', 'others', 'total', 'share']);
  } finally {
    project.delete();
  }
});

test('a changed member reaches what is made of it, other members and metrics over metrics', async () => {
  const project = temporaryProject({
    ...FILES,
    'models/semantics/b.yml': `${FILES['models/semantics/b.yml']}  - {name: per_other, type: number, expression: "{total} / {others}"}\n`,
    'models/metrics/per_other.yml': 'kind: metric\nname: per_other\nmeasure: sales.per_other\n',
  });
  try {
    const { project: loaded } = await project.load();
    const changed = { added: ['measure new'], removed: [], changed: ['measure total'] };
    const changes = [change('sales', { kind: 'semantic', category: null, columns: changed })];
    expect(
      listed(loaded, changes).map(({ kind, name, members, through }) => [kind, name, members, through]),
    ).toEqual([
      ['semantic', 'sales', ['per_other'], ['sales.total']],
      ['metric', 'per_other', [], ['sales.total']],
      ['metric', 'total', [], ['sales.total']],
      ['metric', 'share', [], ['sales.total']],
    ]);
    expect(
      listed(loaded, [change('total', { kind: 'metric', category: null })]).map(({ name, through }) => [
        name,
        through,
      ]),
    ).toEqual([['share', ['total']]]);
  } finally {
    project.delete();
  }
});
