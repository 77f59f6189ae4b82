import { expect, test } from 'vitest';
import type { UserCode } from '../../domain/user-code.ts';
import { type SharedUserCode, shareUserCode } from './share-user-code.ts';

function recording(): { readonly log: string[]; readonly shared: SharedUserCode } {
  const log: string[] = [];
  const shared = shareUserCode((files): UserCode => {
    const name = Object.values(files).join('+');
    log.push(`open ${name}`);
    return {
      functions: async () => ({ functions: [], problems: [] }),
      call: async () => ({ ok: true, value: name }),
      close: async () => void log.push(`close ${name}`),
    };
  });
  return { log, shared };
}

test('the same texts are opened once, also after everybody has let go of them', async () => {
  const { log, shared } = recording();
  const [first, second] = [shared.of({ 'macros/a.ts': 'a' }), shared.of({ 'macros/a.ts': 'a' })];
  await first.close();
  await first.close();
  expect(await second.call('macros', { function: 'f', arguments: [], context: {} })).toEqual({
    ok: true,
    value: 'a',
  });
  await second.close();
  shared.of({ 'macros/a.ts': 'a' });
  expect(log).toEqual(['open a']);
});

test('the same text under another path is other code', () => {
  const { log, shared } = recording();
  shared.of({ 'macros/a.ts': 'a' });
  shared.of({ 'macros/b.ts': 'a' });
  expect(log).toEqual(['open a', 'open a']);
});

test('at most one is kept that nobody uses, and what is used is never closed', async () => {
  const { log, shared } = recording();
  const [a, b, c] = ['a', 'b', 'c'].map((text) => shared.of({ 'macros/m.ts': text }));
  await a?.close();
  await b?.close();
  expect(log).toEqual(['open a', 'open b', 'open c', 'close a']);
  await shared.of({ 'macros/m.ts': 'b' }).close();
  expect(log.at(-1)).toBe('close a');
  await c?.close();
  expect(log.at(-1)).toBe('close b');
});

test('closing ends everything that is open', async () => {
  const { log, shared } = recording();
  shared.of({ 'macros/m.ts': 'a' });
  await shared.of({ 'macros/m.ts': 'b' }).close();
  await shared.close();
  expect(log.slice(2).sort()).toEqual(['close a', 'close b']);
});
