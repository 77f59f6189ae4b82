import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { differences } from './agreement.ts';
import { type OurVerdicts, ourVerdicts, type Verdicts } from './our-verdicts.ts';
import { VARIANTS, type Variant } from './peer-data.ts';

const text = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const RECORDED: Readonly<Record<Variant, { readonly soda: Verdicts; readonly gx: Verdicts }>> = JSON.parse(
  text('recorded.json'),
);
const CHECKS = text('checks.yml');

describe('verdicts and measured values are those of Soda Core and Great Expectations', () => {
  for (const variant of VARIANTS)
    test(`on ${variant} data`, async () => {
      const ours: OurVerdicts = await ourVerdicts(variant, CHECKS);
      const { soda, gx } = RECORDED[variant];
      expect([...differences(soda, ours.soda), ...differences(gx, ours.gx)]).toEqual([]);
      expect(Object.entries(ours.imported).filter(([, outcome]) => outcome === 'refused')).toEqual([]);
    });
});

describe('what is recorded', () => {
  const planted = (tool: 'soda' | 'gx'): readonly string[] =>
    Object.keys(RECORDED.clean[tool]).filter(
      (name) => RECORDED.clean[tool][name]?.outcome !== RECORDED.planted[tool][name]?.outcome,
    );
  test('has at least 40 checks of each tool, and nearly all of them find their planted errors', () => {
    const counts = (['soda', 'gx'] as const).map((tool) => [
      Object.keys(RECORDED.clean[tool]).length,
      planted(tool).length,
    ]);
    expect(counts).toEqual([
      [52, 49],
      [46, 40],
    ]);
  });
  test('has no errors of the peers', () => {
    const outcomes = VARIANTS.flatMap((variant) => [RECORDED[variant].soda, RECORDED[variant].gx]).flatMap(
      (verdicts) => Object.values(verdicts).map(({ outcome }) => outcome),
    );
    expect([...new Set(outcomes)].toSorted()).toEqual(['fail', 'pass', 'warn']);
  });
});

test('a difference is found: another verdict, another value, a check that one of them lacks', () => {
  const peer: Verdicts = {
    a: { outcome: 'pass', values: [5] },
    b: { outcome: 'fail', values: [1.23] },
    c: { outcome: 'pass', values: [] },
  };
  expect(
    differences(peer, {
      a: { outcome: 'fail', values: [5] },
      b: { outcome: 'fail', values: [2, 9] },
      d: { outcome: 'pass', values: [] },
    }),
  ).toEqual([
    'a: they say pass, we say fail',
    'b: they measure 1.23, we measure 2,9',
    'c: only they have it',
    'd: only we have it',
  ]);
  expect(differences(peer, { ...peer, b: { outcome: 'fail', values: [7, 1.2345] } })).toEqual([]);
});
