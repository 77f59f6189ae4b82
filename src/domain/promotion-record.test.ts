import { expect, test } from 'vitest';
import { type PromotionRecord, promotionRecordText, readPromotionRecord } from './promotion-record.ts';

const RECORD: PromotionRecord = {
  environment: {
    name: 'dev',
    entries: [],
    promotionId: 'v_1',
    promotedAt: 0,
    gateway: 'local',
    definitions: {},
  },
  snapshots: [],
  takers: {},
  chains: {},
};

test('a record is read back, also one that has its hooks as `around`', () => {
  expect(readPromotionRecord(promotionRecordText(RECORD))).toEqual(RECORD);
  const hooks = { ...RECORD, hooks: 'h' };
  expect(readPromotionRecord(promotionRecordText(hooks))).toEqual(hooks);
  const before: PromotionRecord & { readonly around: string } = { ...RECORD, around: 'h' };
  expect(readPromotionRecord(promotionRecordText(before))).toEqual(hooks);
});

test.each(['', 'null', '{"version":2}'])('%j is not a record of this version', (text) => {
  expect(readPromotionRecord(text)).toBeUndefined();
});
