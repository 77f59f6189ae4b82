import { describe, expect, test } from 'vitest';
import { auditMayRead } from './audit-may-read.ts';

const text = (sql: string) => ({ text: sql, start: 0, isJinja: false });
const own = (sql: string, defaults: Readonly<Record<string, string>> = {}) => ({
  query: text(sql),
  statements: [],
  defaults,
});
const EMAIL = new Set(['email']);

describe('an audit may read a column', () => {
  test.each([
    ['names it', own('SELECT * FROM @this_model WHERE Email = 1'), {}],
    ['names it in quotes', own('SELECT * FROM @this_model WHERE "email" = 1'), {}],
    ['gets it as an argument', own('SELECT * FROM @this_model WHERE @column IS NULL'), { column: 'email' }],
    ['gets it by default', own('SELECT * FROM @this_model WHERE @{column} > 1', { column: 'EMAIL' }), {}],
    ['is built in and gets it', undefined, { columns: '(id, email)' }],
    ['calls a macro', own('SELECT * FROM @this_model WHERE @strange()'), {}],
    ['is a template', own('SELECT * FROM @this_model WHERE {{ any }}'), {}],
    ['reads columns without names', own('SELECT * FROM @this_model WHERE COLUMNS(*) IS NULL'), {}],
  ])('that %s', (_, audit, given) => {
    expect(auditMayRead({ arguments: given }, audit, EMAIL)).toBe(true);
  });

  test.each([
    ['names others', own('SELECT * FROM @this_model WHERE id = 1'), {}],
    ['gets others', own('SELECT * FROM @this_model WHERE @column IS NULL'), { column: 'id' }],
    ['is built in and gets others', undefined, { columns: '(id)' }],
    ['names one that only begins like it', own('SELECT * FROM @this_model WHERE email_count = 1'), {}],
  ])('but not one that %s', (_, audit, given) => {
    expect(auditMayRead({ arguments: given }, audit, EMAIL)).toBe(false);
  });
});
