import { describe, expect, test } from 'vitest';
import { apiWords } from './api-words.ts';
import { catalog, diagnostic } from './catalog.ts';

/** What a caller without a shell cannot do. */
const OF_COMMANDS = /\bplinth [a-z]|(?<![\w-])--[a-z]|Ctrl-C|the command\b/;

/** Codes of the command line and of starting a server: no answer has them, so they may lose their hint. */
const NEVER_BY_HTTP = /^(?:cli\.(?!bad-value|git-failed)|server\.|query\.no-key$|state\.bad-import$|test\.)/;

describe('apiWords', () => {
  test.each(Object.entries(catalog).filter(([code]) => !NEVER_BY_HTTP.test(code)))(
    '%s says nothing of commands, and keeps a hint',
    (code, entry) => {
      const { message, hint } = entry as { readonly message: string; readonly hint?: string };
      const worded = apiWords({ code, message, ...(hint === undefined ? {} : { hint }) });
      expect(worded.message).not.toMatch(OF_COMMANDS);
      expect(worded.hint ?? '').not.toMatch(OF_COMMANDS);
      expect(worded.hint === undefined).toBe(hint === undefined);
    },
  );
  test('a hint that fits better than the catalog’s stays', () =>
    expect(
      apiWords(diagnostic('project.unknown-model', { name: 'ordrs' }, { hint: 'did you mean orders?' })).hint,
    ).toBe('did you mean orders?'));
  test('a hint of an engine that names commands names addresses', () =>
    expect(
      apiWords(diagnostic('query.not-allowed', { what: 'DESCRIBE' }, { hint: 'see plinth info MODEL' })).hint,
    ).toBe('GET /metadata/models lists the models, GET /metadata/models/{name} the columns of one'));
  test('options are called as the fields that say the same', () =>
    expect(
      apiWords(diagnostic('plan.destructive-change', { model: 's.a', detail: 'b goes' })).hint,
    ).toContain('pass allow_destructive_models s.a'));
});
