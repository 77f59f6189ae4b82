/** A result is given to who may ask its question now: by every way to lose a right, at every door. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GUARDED_FILES } from '../support/guarded-project.ts';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';
import { BASE, CONFIG, DOORS, type Door, type Kept, QUESTIONS, ROW, WAYS, WORD } from './taken-rights.ts';

let served: ServedPlatform;
beforeAll(async () => {
  served = await servedPlatform([CONFIG], GUARDED_FILES);
  await served.plan({}, 'dev');
});
afterAll(() => served.stop());

interface Got {
  readonly status: number;
  readonly bytes: string;
}

async function send(
  token: string,
  { path, body, key }: { readonly path: string; readonly body?: unknown; readonly key?: string },
): Promise<Got> {
  const answer = await fetch(`${served.url}${BASE}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()).toString('latin1') };
}

/** What a door gives whom the right belongs to: the rows in the clear where the format has them so. */
function expectGiven({ name, gives }: Door, { status, bytes }: Got): void {
  expect(status, `${name}: ${bytes.slice(0, 500)}`).toBe(200);
  if (gives === 'words') {
    if (name !== 'events') expect(bytes, name).toContain(WORD);
  } else if (!/parquet|middle/.test(name)) expect(bytes, name).toContain(ROW);
}

function expectTaken({ name, gives }: Door, { status, bytes }: Got): void {
  if (gives === 'rows') expect([401, 403], `${name}: ${bytes.slice(0, 500)}`).toContain(status);
  expect(bytes, name).not.toContain(ROW);
  expect(bytes, name).not.toContain('@x.us');
  // Who asks anew hears their own words.
  if (gives !== 'anew' && name !== 'a replay') expect(bytes, name).not.toContain(WORD);
}

describe('who loses a right while they wait is told nothing', () => {
  /** Longer than any test: it is cancelled. */
  const sql = `SELECT min(email) AS ${WORD} FROM marts.people, range(100000000000) AS t(i) WHERE sin(i) > 2`;
  const path = '/query/statement';
  const running = async (token: string): Promise<string> => {
    for (let left = 3_000; left > 0; left--) {
      const [item] = JSON.parse((await send(token, { path: `${path}?limit=1` })).bytes).items;
      if (item?.status === 'IN_PROGRESS') return item.id;
    }
    throw new Error('nothing runs');
  };
  test.each(['a question', 'a statement'])('%s', async (what) => {
    const name = what.replace(' ', '');
    const token = await served.person('default', name, { role: 'viewer', groups: ['admin'] });
    const asked = send(token, { path, body: { sql, wait: what === 'a question' ? 50 : 0 } });
    const id = await running(token);
    const waiting = what === 'a question' ? asked : send(token, { path: `${path}/${id}?wait=50` });
    await served.ask(served.root, 'PATCH', `/tenants/default/users/${name}`, { body: { groups: [] } });
    expect((await send(served.root, { path: `${path}/${id}/cancel`, body: {} })).status).toBe(200);
    expect((await waiting).bytes).not.toContain(WORD);
  });
});

const cases = WAYS.flatMap((way) => way.asks.map((spelling) => ({ way, spelling })));

describe('what was asked is given at every door, to none when the right is gone, and again when it is back', () => {
  let people = 0;
  test.each(cases.map((each) => [each.way.name, each.spelling, each] as const))(
    '%s: %s',
    async (_, __, { way, spelling }) => {
      const name = `person${++people}`;
      const asker = { name, token: await served.person('default', name, way.person) };
      const { path, body: asked } = QUESTIONS[spelling];
      const body = way.environment === undefined ? asked : { ...asked, environment: way.environment };
      const key = `key-${name}`;
      try {
        await way.before?.(served, asker);
        const first = await send(asker.token, { path, body, key });
        expect(first, first.bytes).toMatchObject({ status: 200, bytes: expect.stringContaining(ROW) });
        const answer = JSON.parse(first.bytes);
        const id: string = answer.id ?? answer.extensions.statements[0].id;
        const kept: Kept = { id, spelling, body, key };
        for (const door of DOORS) expectGiven(door, await send(asker.token, door.ask(kept)));
        await way.take(served, asker);
        try {
          for (const door of DOORS) expectTaken(door, await send(asker.token, door.ask(kept)));
        } finally {
          await way.giveBack(served, asker);
        }
        for (const door of DOORS) expectGiven(door, await send(asker.token, door.ask(kept)));
      } finally {
        await way.after?.(served, asker);
      }
    },
  );
});
