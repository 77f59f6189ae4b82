/**
 * A command that is killed while it checks and profiles leaves whole models with right verdicts only, and whoever comes next does
 * the rest, though nothing has changed since. PLINTH_KILLS=100 kills so often in each scenario.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IS_LONG } from '../support/long-form.ts';
import { seededNumbers } from '../support/seeded-bits.ts';
import { CHECK_SCENARIOS, type CheckKill, killChecks, makeCheckBases, referenceOf } from './check-kills.ts';
import { CHECKED_MODELS } from './checked-project.ts';

const KILLS = Number(process.env['PLINTH_KILLS'] ?? (IS_LONG ? 20 : 2));
const SEED = Number(process.env['PLINTH_SEED'] ?? 3);
/** What should have been a kill and was not is made up for. */
const ATTEMPTS_MAX = 3 * KILLS + 5;

const home = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-check-kills-')));
const all: CheckKill[] = [];
beforeAll(() => makeCheckBases(home));
afterAll(() => {
  if (all.every(({ problems }) => problems.length === 0)) rmSync(home, { recursive: true, force: true });
});

test.each(CHECK_SCENARIOS)(
  '$name: whoever is killed, nothing false is recorded and nothing is left out',
  async (scenario) => {
    const reference = await referenceOf(home, scenario);
    const random = seededNumbers(SEED);
    for (const victim of ['command', 'keeper'] as const) {
      const killed: CheckKill[] = [];
      for (let i = 0; i < ATTEMPTS_MAX && killed.length < KILLS; i++) {
        // Spread over the whole work, and somewhere in each part.
        const part = (killed.length + random()) / KILLS;
        const name = `kill-${all.length}`;
        const kill = await killChecks(home, scenario, { victim, part, name }, reference);
        expect(kill.problems, `${victim} killed at ${kill.place}, left in ${kill.folder}`).toEqual([]);
        all.push(kill);
        if (kill.wasKilled) killed.push(kill);
      }
      expect({ victim, killed: killed.length }).toEqual({ victim, killed: KILLS });
    }
  },
  30 * 60_000,
);

test('commands were killed at different moments: with some models done, and others not', () => {
  const killed = all.filter(({ wasKilled, victim }) => wasKilled && victim === 'command');
  for (const { name } of CHECK_SCENARIOS) {
    const places = killed.filter(({ scenario }) => scenario === name).map(({ place }) => place);
    expect([name, places.length, new Set(places).size]).toEqual([name, KILLS, KILLS]);
  }
  const isPart = (count: number): boolean => count > 0 && count < CHECKED_MODELS;
  expect(killed.filter(({ checked, profiled }) => isPart(checked) || isPart(profiled))).not.toEqual([]);
});
