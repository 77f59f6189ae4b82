import { expect, test } from 'vitest';
import { FRESHNESS_CHECK } from '../../domain/product-health.ts';
import { loadDefinition } from '../load/yaml/load-definition.ts';
import { retiredChecks } from './retired-checks.ts';

const text = `kind: dq
name: p
depends_on: s.m
rules:
  - row_count > 0
  - row_count > 1: {enabled: false}
  - for each column (*_id): missing_count = 0
`;
const { dqPack } = loadDefinition({ path: 'dq/p.yml', text });
const packs = dqPack === undefined ? [] : [dqPack];
const EACH = 'for each column (*_id)';
const of = (rule: string, suffix = '', runId = 'c_2', pack = 'p') => ({
  ...{ check: `${pack}/${rule}${suffix}`, pack, rule, runId },
});

test('a check is retired when its rule, its pack or its column is gone, or it is not enabled', () => {
  const latest = [
    of('row_count > 0', '', 'c_1'),
    of('row_count > 1'),
    of('row_count > 2'),
    of('row_count > 0', '', 'c_2', 'q'),
    of(EACH, '/a_id'),
    of(EACH, '/b_id', 'c_1'),
    { check: FRESHNESS_CHECK, pack: 'slo', rule: 'freshness', runId: 'c_1' },
  ];
  expect(retiredChecks(latest, packs)).toEqual([
    'p/row_count > 1',
    'p/row_count > 2',
    'q/row_count > 0',
    `p/${EACH}/b_id`,
  ]);
});
