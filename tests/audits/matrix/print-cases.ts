import { hash128 } from '../../../src/foundation/hash128.ts';
import { matrixCases, OURS_ALONE, SEED, useOf } from './cases.ts';

// What other programs are asked about, with a hash of it: see record-sqlmesh.py.
const cases = matrixCases(SEED).filter(({ audit }) => !OURS_ALONE.includes(audit));
console.log(
  JSON.stringify({
    about: hash128(JSON.stringify(cases.map((each) => [useOf(each), each.table]))),
    cases: cases.map((each) => ({ id: each.id, audit: each.audit, use: useOf(each), table: each.table })),
  }),
);
