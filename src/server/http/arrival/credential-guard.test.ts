import { expect, test } from 'vitest';
import { Problem } from '../answers/problem.ts';
import { CredentialGuard, type FailedCredentials, networkOf } from './credential-guard.ts';

const PER_MINUTE = 6;

/** A guard, its clock, and a server that knows the credentials in `right`. */
function guarded() {
  const told: FailedCredentials[] = [];
  const right = new Set<string>();
  const asked: string[] = [];
  let now = 0;
  const guard = new CredentialGuard({
    perMinute: PER_MINUTE,
    now: () => now,
    onFailed: async (failed) => void told.push(...failed),
  });
  const show = async (
    credential: string,
    address = '192.0.2.1',
    tenant?: string,
  ): Promise<number | string> => {
    try {
      const found = await guard.pass(credential, { address, tenant, correlationId: credential }, async () => {
        asked.push(credential);
        return right.has(credential) ? credential : undefined;
      });
      return found === undefined ? 401 : 200;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return `${error.status} ${error.what.code} ${error.headers['retry-after']}`;
    }
  };
  const guess = async (count: number): Promise<readonly unknown[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => show(`guess ${now} ${i}`)));
  return { guard, told, right, asked, show, guess, pass: (ms: number) => (now += ms) };
}

const TOO_MANY = '429 auth.too-many 10';

test('as many wrong ones as the limit are looked up, further ones are not, also all at once', async () => {
  const { guess, asked, pass, guard } = guarded();
  const answers = await guess(100);
  expect(answers.filter((answer) => answer === 401)).toHaveLength(PER_MINUTE);
  expect(answers.filter((answer) => answer === TOO_MANY)).toHaveLength(100 - PER_MINUTE);
  expect(asked).toHaveLength(PER_MINUTE);
  expect(guard.counts).toEqual({ invalid: PER_MINUTE, refused: 100 - PER_MINUTE });
  pass(10_000);
  expect((await guess(10)).filter((answer) => answer === 401)).toHaveLength(1);
  pass(3_600_000);
  expect((await guess(100)).filter((answer) => answer === 401)).toHaveLength(PER_MINUTE);
});

test('a credential that was right before goes on, a new one waits only for its turn, other addresses for nothing', async () => {
  const { right, show, guess, pass } = guarded();
  right.add('old').add('new').add('elsewhere');
  expect(await show('old')).toBe(200);
  await guess(100);
  expect(await show('old')).toBe(200);
  expect(await show('elsewhere', '192.0.2.2')).toBe(200);
  expect(await show('new')).toBe(TOO_MANY);
  pass(10_000);
  expect(await show('new')).toBe(200);
  // A right one costs nothing.
  expect(await show('another')).toBe(401);
});

test('right ones never use the limit up, however many come at once, new or known', async () => {
  const { right, show } = guarded();
  for (let i = 0; i < 50; i++) right.add(`r${i}`);
  for (let i = 0; i < 50; i++) expect(await show(`r${i}`)).toBe(200);
  const again = await Promise.all([...right].map((each) => show(each)));
  expect(new Set(again)).toEqual(new Set([200]));
});

test('one that is revoked counts as a wrong one from then on', async () => {
  const { right, show, guess } = guarded();
  right.add('old');
  expect(await show('old')).toBe(200);
  right.delete('old');
  await guess(100);
  expect(await show('old')).toBe(401);
  expect(await show('old')).toBe(TOO_MANY);
});

test('that nobody could be asked is no mistake of the caller', async () => {
  const { guard, guess } = guarded();
  for (let i = 0; i < 20; i++)
    await expect(
      guard.pass('x', { address: '192.0.2.1', tenant: undefined, correlationId: '' }, () =>
        Promise.reject(new Error('the state is gone')),
      ),
    ).rejects.toThrow('the state is gone');
  expect((await guess(100)).filter((answer) => answer === 401)).toHaveLength(PER_MINUTE);
});

test('what failed is told once for each address and tenant, with its count, and for many addresses together', async () => {
  const { guard, told, show } = guarded();
  await show('a', '192.0.2.1', 'acme');
  await show('b', '192.0.2.1', 'acme');
  await show('c', '192.0.2.1');
  await show('d', '2001:db8::1');
  await guard.tell();
  expect(told).toEqual([
    { address: '192.0.2.1', tenant: 'acme', count: 2, correlationId: 'b' },
    { address: '192.0.2.1', tenant: undefined, count: 1, correlationId: 'c' },
    { address: '2001:db8:0:0::/64', tenant: undefined, count: 1, correlationId: 'd' },
  ]);
  await guard.tell();
  expect(told).toHaveLength(3);
  for (let i = 0; i < 3_000; i++) await show('e', `10.0.${i >> 8}.${i & 255}`);
  await guard.tell();
  expect(told).toHaveLength(3 + 1_001);
  expect(told.at(-1)).toMatchObject({ address: 'other addresses', count: 2_000 });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001::6', '2001:db8:1:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, 'unknown'],
])('%s is of the network %s', (address, network) => expect(networkOf(address)).toBe(network));
