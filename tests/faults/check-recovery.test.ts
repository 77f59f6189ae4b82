/** Checks and profiles whose process dies after any call of state or warehouse: whole models only, and the next ones do the rest. */
import { afterEach, describe, expect, test } from 'vitest';
import { apply } from '../../src/operations/change/apply.ts';
import type { OpenedWorld } from '../../src/operations/open-world.ts';
import { checkDue } from '../../src/operations/quality/check-due.ts';
import { Killed, killAfter, withFaults } from '../support/execution-faults.ts';
import { IS_LONG } from '../support/long-form.ts';
import { draftProduct, ended, type ServedProduct, servedProduct } from '../support/served-product.ts';

const MODELS = ['a', 'b'];
const RULES = 4;
const pack = (name: string, most: number): string =>
  `kind: dq\nname: p_${name}\ndepends_on: s.${name}\nprofiles: [id]\nrules:\n  - row_count > 0\n  - max(id) < ${most}: {name: most}\n  - change for row_count > -1: {name: steady}\n  - distribution(id): {name: alike, psi < 0.2}\n`;
const packs = (most: number): Readonly<Record<string, string>> =>
  Object.fromEntries(MODELS.map((name) => [`dq/${name}.yml`, pack(name, most)]));
const models = (rows: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    MODELS.map((name) => [
      `models/${name}.sql`,
      `MODEL (name s.${name}, kind FULL, start '2025-06-01');\nSELECT i::INTEGER AS id FROM range(${rows}) AS r(i)\n`,
    ]),
  );

let open: ServedProduct | undefined;
async function closed(): Promise<void> {
  await open?.close();
  open = undefined;
}
afterEach(closed);

/** Applies what the folder has, and does not check it. */
async function applied(served: ServedProduct): Promise<void> {
  const { plan, diagnostics } = await draftProduct(served.product);
  if (plan === undefined) throw new Error(JSON.stringify(diagnostics));
  expect(await ended(apply(served.product.world, plan, { who: 'a test' }))).toMatchObject({
    status: 'succeeded',
  });
}

async function checked(world: OpenedWorld): Promise<readonly string[]> {
  const events: string[] = [];
  for await (const { event } of checkDue(world, { environment: 'prod', changedBy: 'r_1' }))
    events.push(event);
  return events;
}

/** What the state knows, without times and ids. */
async function known({ state: { quality, events } }: OpenedWorld): Promise<unknown> {
  const scope = { environment: 'prod', limit: 1_000 };
  const latest = await quality.latestResults(scope);
  const profiles = await Promise.all(
    MODELS.map((name) => quality.profiles({ ...scope, model: `s.${name}` })),
  );
  const told = await events.events({ types: ['dq.*', 'incident.*'], limit: 1_000 });
  return {
    latest: latest.map(({ check, outcome, value, baseline, reason }) => ({
      check,
      outcome,
      value,
      baseline,
      reason,
    })),
    profiles: profiles.map(([newest]) => [
      newest?.rows,
      newest?.columns.map(({ max, drift }) => [max, drift?.previous?.psi]),
    ]),
    incidents: (await quality.incidents(scope))
      .map(({ check, failures, closedAt }) => [check, failures, closedAt === undefined])
      .sort(),
    told: told.map(({ event, data }) => [event, (data as { check: string }).check]).sort(),
  };
}

/** Changes after a first life that nothing disturbed. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'other rows': models(50),
  'other rules over the same rows': packs(10),
  'rules that are taken away': Object.fromEntries(
    MODELS.map((name) => [`dq/${name}.yml`, pack(name, 20).replace(/ {2}- max.*\n/, '')]),
  ),
};

async function changed(change: string): Promise<ServedProduct> {
  open = await servedProduct(
    { 'config.yaml': 'name: checked\n', ...models(20), ...packs(20) },
    { isPlanned: false },
  );
  await applied(open);
  await checked(open.product.world);
  for (const [path, text] of Object.entries(CHANGES[change] ?? {})) open.project.write({ [path]: text });
  await applied(open);
  return open;
}

// Each change gets a twelfth of the deaths in the short form.
const EVERY = IS_LONG ? 1 : 4 * Object.keys(CHANGES).length;

describe.each(Object.keys(CHANGES).map((change, first) => [change, first] as const))(
  '%s',
  (change, first) => {
    test('are checked and profiled as a whole, whenever the process dies', async () => {
      const reference = await changed(change);
      expect(await checked(reference.product.world)).toContain('model.checked');
      const expected = await known(reference.product.world);
      await closed();
      let deaths = 0;
      for (let step = 1 + ((4 * first) % EVERY); ; step += EVERY) {
        const { world } = (await changed(change)).product;
        const faults = killAfter(step, (port) => port === 'quality' || port === 'engine');
        const end = await checked(withFaults(world, faults)).catch((error: unknown) => error);
        if (faults.calls.length < step) {
          expect(await known(world)).toEqual(expected);
          break;
        }
        deaths++;
        const at = `${faults.calls.length}: ${faults.calls.at(-1)}`;
        expect(end, at).toBeInstanceOf(Killed);
        const results = await world.state.quality.results({ environment: 'prod', limit: 1_000 });
        for (const [key, each] of Map.groupBy(results, ({ runId, model }) => `${runId} ${model}`))
          expect({ at, key, count: each.length >= RULES - 1 ? 'all' : each.length }).toEqual({
            at,
            key,
            count: 'all',
          });
        await checked(world);
        expect(await known(world), at).toEqual(expected);
        expect(await checked(world), `${at}, and nothing is left`).toEqual([]);
        await closed();
      }
      expect(deaths).toBeGreaterThan(30 / EVERY);
    });
  },
);
