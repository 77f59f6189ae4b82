import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLOCKING, byFingerprint, environment, model } from '../../../tests/support/plan/applied.ts';
import type { Environment } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { reachable } from '../../foundation/graph.ts';
import { type BackfillGroup, backfillGroups } from './backfill-groups.ts';

const RANGE = 'incremental-by-time-range';

describe('views that somebody sees', () => {
  const a = model('s.a', RANGE);
  const b = model('s.b', RANGE);
  const other = model('s.other', RANGE);

  test('all tables of a view with blocking audits that are due are written together', () => {
    const v = model('s.v', 'view', ['s.a', 's.b'], { audits: BLOCKING });
    const groups = grouped({ 's.a': [], 's.b': [], 's.other': [] }, [a, b, other, v]);
    expect(shapes(groups)).toEqual(['s.a s.b | s.v@prod', 's.other']);
  });

  test('one table is enough to be audited with its view', () => {
    const v = model('s.v', 'view', ['s.a', 's.b'], { audits: BLOCKING });
    expect(shapes(grouped({ 's.a': [] }, [a, b, v]))).toEqual(['s.a | s.v@prod']);
  });

  test('audits that only warn do not tie tables together', () => {
    const audits = { blocking: [], others: ['not_null'], readsOthers: false };
    const v = model('s.v', 'view', ['s.a', 's.b'], { audits });
    expect(shapes(grouped({ 's.a': [], 's.b': [] }, [a, b, v]))).toEqual(['s.a', 's.b']);
  });

  test('through views and EMBEDDED models, but not past a table', () => {
    const models = [
      a,
      b,
      model('s.e', 'embedded', ['s.a']),
      model('s.w', 'view', ['s.e']),
      model('s.t', 'full', ['s.other']),
      other,
      model('s.v', 'view', ['s.w', 's.b', 's.t'], { audits: BLOCKING }),
    ];
    expect(shapes(grouped({ 's.a': [], 's.b': [], 's.other': [] }, models))).toEqual([
      's.a s.b | s.v@prod',
      's.other',
    ]);
  });

  test('another environment that shows the same table is watched as well', () => {
    const v = model('s.v', 'view', ['s.a', 's.b'], { audits: BLOCKING });
    const environments = [environment('prod', [a, b]), environment('dev', [a, [b, 'own'], v])];
    expect(shapes(grouped({ 's.a': [], 's.b': [] }, [a, b, v], environments))).toEqual([
      's.a | s.v@dev',
      's.b',
    ]);
  });

  test('the same view in many environments is audited once, unless its audits read more than its own rows', () => {
    const once = model('s.v', 'view', ['s.a'], { audits: BLOCKING });
    const each = model('s.w', 'view', ['s.a'], { audits: { ...BLOCKING, readsOthers: true } });
    const environments = ['prod', 'dev'].map((name) => environment(name, [a, once, each]));
    expect(shapes(grouped({ 's.a': [] }, [a, once, each], environments))).toEqual([
      's.a | s.v@prod s.w@prod s.w@dev',
    ]);
  });

  test('models between two tables of a view join them', () => {
    const v = model('s.v', 'view', ['s.a', 's.b'], { audits: BLOCKING });
    const groups = grouped({ 's.a': [], 's.x': ['s.a'], 's.b': ['s.x'], 's.below': ['s.x'] }, [a, b, v]);
    expect(shapes(groups)).toEqual(['s.a s.x s.b | s.v@prod', 's.below']);
  });

  test('groups that share a table are one', () => {
    const v = model('s.v', 'view', ['s.a', 's.b'], { audits: BLOCKING });
    const w = model('s.w', 'view', ['s.b', 's.other'], { audits: BLOCKING });
    expect(shapes(grouped({ 's.a': [], 's.b': [], 's.other': [] }, [a, b, other, v, w]))).toEqual([
      's.a s.b s.other | s.v@prod s.w@prod',
    ]);
  });

  test('tables of a view in two catalogs are written one after the other, the view audited with each', () => {
    const far = model('c.s.far', RANGE);
    const v = model('s.v', 'view', ['s.a', 's.b', 'c.s.far'], { audits: BLOCKING });
    const groups = grouped({ 's.a': [], 'c.s.far': [], 's.b': [] }, [a, b, far, v]);
    expect(shapes(groups)).toEqual(['s.a s.b | s.v@prod', 'c.s.far | s.v@prod']);
    expect(groups.map(({ after }) => after)).toEqual([[], [0]]);
  });

  test('groups that would wait for each other are one', () => {
    const [c, d] = [model('s.c', RANGE), model('s.d', RANGE)];
    const v = model('s.v', 'view', ['s.a', 's.d'], { audits: BLOCKING });
    const w = model('s.w', 'view', ['s.b', 's.c'], { audits: BLOCKING });
    // Neither group has a path inside itself, but a ▶ b and c ▶ d cross.
    const groups = grouped({ 's.a': [], 's.c': [], 's.b': ['s.a'], 's.d': ['s.c'] }, [a, b, c, d, v, w]);
    expect(shapes(groups)).toEqual(['s.a s.c s.b s.d | s.v@prod s.w@prod']);
  });
});

test('groups are the smallest that keep views together and never wait for each other', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 14 }),
      fc.array(fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
      (edges, views) => {
        const names = Array.from({ length: 10 }, (_, i) => `s.m${i}`);
        const upstream = Object.fromEntries(names.map((name) => [name, [] as string[]]));
        for (const [x, y] of edges)
          if (x !== y) upstream[names[Math.max(x, y)]!]!.push(names[Math.min(x, y)]!);
        const models = [
          ...names.map((name) => model(name, RANGE)),
          ...views.map((reads, i) =>
            model(
              `s.v${i}`,
              'view',
              reads.map((n) => names[n]!),
              { audits: BLOCKING },
            ),
          ),
        ];
        const groups = grouped(upstream, models);
        expect(groups.flatMap(({ members }) => members).sort()).toEqual(names);
        const seen = new Set<string>();
        for (const { members } of groups) {
          for (const member of members) {
            for (const parent of upstream[member]!)
              expect(seen.has(parent) || members.includes(parent)).toBe(true);
            seen.add(member);
          }
        }
        expect(partition(groups)).toEqual(
          slowPartition(
            names,
            upstream,
            views.map((v) => v.map((n) => names[n]!)),
          ),
        );
      },
    ),
  );
});

/** Merges again and again until no two groups reach each other. */
function slowPartition(
  names: readonly string[],
  upstream: Readonly<Record<string, readonly string[]>>,
  views: readonly (readonly string[])[],
): readonly string[] {
  let sets = names.map((name) => new Set([name]));
  const merge = (one: Set<string>, other: Set<string>): void => {
    if (one === other) return;
    sets = sets.filter((set) => set !== other);
    for (const name of other) one.add(name);
  };
  const setOf = (name: string): Set<string> => sets.find((set) => set.has(name))!;
  for (const reads of views) for (const name of reads) merge(setOf(reads[0]!), setOf(name));
  for (let again = true; again; ) {
    again = false;
    const up = (name: string): readonly string[] => [...setOf(name)].flatMap((member) => upstream[member]!);
    for (const name of names)
      for (const far of reachable([name], (at) => [...up(at), ...setOf(at)]))
        if (setOf(far) !== setOf(name) && reachable([far], (at) => [...up(at), ...setOf(at)]).has(name)) {
          merge(setOf(name), setOf(far));
          again = true;
        }
  }
  return sets.map((set) => [...set].sort().join(' ')).sort();
}

function partition(groups: readonly BackfillGroup[]): readonly string[] {
  return groups.map(({ members }) => [...members].sort().join(' ')).sort();
}

function grouped(
  upstream: Readonly<Record<string, readonly string[]>>,
  models: readonly Snapshot[],
  environments: readonly Environment[] = [environment('prod', models)],
): readonly BackfillGroup[] {
  return backfillGroups({
    members: new Map(
      Object.entries(upstream).map(([name, reads]) => [
        name,
        { key: tableKey({ model: name, version: `v_${name}` }), upstream: reads },
      ]),
    ),
    environments,
    snapshots: byFingerprint(models),
  });
}

function shapes(groups: readonly BackfillGroup[]): readonly string[] {
  return groups.map(({ members, auditedViews }) => {
    const views = auditedViews.map((view) => `${view.model}@${view.environment}`).join(' ');
    return `${members.join(' ')}${views === '' ? '' : ` | ${views}`}`;
  });
}
