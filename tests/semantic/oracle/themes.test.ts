import { expect, test } from 'vitest';
import { IS_LONG } from '../../support/long-form.ts';
import { campaign } from './campaign.ts';
import { overCases, seedOf, TIME_MAX_MS } from './cases.ts';
import { reference } from './form.ts';
import { worldOf } from './generate-world.ts';
import { isToOne, pathsBetween } from './paths.ts';
import { compilerFor, database, NotLoaded } from './project.ts';
import { Tape } from './tape.ts';
import type { WorldModel } from './world.ts';

test('answers of callers with policies are those of the rules', { timeout: TIME_MAX_MS }, async () => {
  const shares = await campaign('policies', await database(), {
    cases: IS_LONG ? 3_000 : 400,
    seed: seedOf(20_261_116),
  });
  console.log(`${shares}`);
  expect(shares.of(shares.same)).toBeGreaterThan(0.5);
  expect(shares.maskedRows).toBeGreaterThan(5);
  expect(shares.codes.get('policy.no-access') ?? 0).toBeGreaterThan(5);
});

test('an expression of a measure reaches to-one only: anything else is refused when it is loaded', async () => {
  const found = { loaded: 0, refused: 0 };
  await overCases<boolean | undefined>({
    cases: IS_LONG ? 600 : 150,
    seed: seedOf(20_261_116),
    questionsMax: 12,
    prepare: async (choices) => {
      const world = worldOf(choices);
      return async (question) => {
        const tape = new Tape(question);
        const [model, other] = [tape.pick(world.models), tape.pick(world.models)];
        const [path, ...more] = pathsBetween(world, model.name, other.name);
        if (path === undefined || path.length === 0 || more.length > 0) return undefined;
        const far = reference('n', other.name);
        const bad = { name: 'far_sum', type: 'sum', filters: [] } as const;
        const measure = tape.chance(50)
          ? { ...bad, expression: far }
          : { ...bad, expression: reference('n'), filters: [{ kind: 'is-null', of: far } as const] };
        const models = world.models.map(
          (each): WorldModel => (each === model ? { ...each, measures: [...each.measures, measure] } : each),
        );
        let codes: readonly string[] = [];
        try {
          compilerFor({ ...world, models });
        } catch (error) {
          if (!(error instanceof NotLoaded)) throw error;
          codes = error.codes;
        }
        expect(codes).toEqual(path.every(isToOne) ? [] : ['semantic.fan-out-in-measure']);
        return codes.length === 0;
      };
    },
    count: (isLoaded) => {
      if (isLoaded === true) found.loaded++;
      if (isLoaded === false) found.refused++;
    },
  });
  expect(found.loaded).toBeGreaterThan(15);
  expect(found.refused).toBeGreaterThan(15);
});
