/* Rollups of random worlds: whatever one answers is what the rules say, computed row by row. */
import { expect, test } from 'vitest';
import { IS_LONG } from '../../support/long-form.ts';
import { overCases, seedOf } from '../oracle/cases.ts';
import { rolledQueryOf, withRollups } from '../oracle/generate-rollups.ts';
import { worldOf } from '../oracle/generate-world.ts';
import { compilerFor, database } from '../oracle/project.ts';
import { runCase } from '../oracle/run-case.ts';
import { Tape } from '../oracle/tape.ts';

test('a rollup answers what the rows answer, whoever asks', { timeout: 900_000 }, async () => {
  const warehouse = await database();
  await warehouse.execute(['CREATE SCHEMA rollups']);
  const told = { asked: 0, rolled: 0, empty: 0, rows: 0 };
  await overCases({
    cases: IS_LONG ? 2_000 : 250,
    seed: seedOf(9),
    questionsMax: 25,
    prepare: async (choices) => {
      const isOpen = (choices.extra[0] ?? 0) % 3 > 0;
      const world = withRollups(
        new Tape(choices.extra.slice(1)),
        worldOf(choices, isOpen ? 'plain' : 'policies'),
      );
      const compile = compilerFor(world);
      await warehouse.fill(world);
      await warehouse.execute(compile.rollupTables());
      return async (question) => {
        const query = rolledQueryOf(new Tape(question), world);
        const groups = isOpen ? undefined : [['red'], ['red', 'blue'], ['blue']][(question.at(-1) ?? 0) % 3];
        const caller = groups === undefined ? undefined : { groups, isUnrestricted: false };
        const rolled = compile.rolled(query, caller);
        const name = rolled.ok ? rolled.compiled.rollup : undefined;
        // No rows are no answer of a rollup: it is asked for again.
        const isEmpty =
          rolled.ok && name !== undefined && (await warehouse.query(rolled.compiled.sql)).rows.length === 0;
        const outcome = await runCase(world, query, {
          compile: isEmpty ? compile : compile.rolled,
          database: warehouse,
          ...(groups === undefined ? {} : { groups }),
        });
        if (outcome.kind === 'different') throw new Error(`${name}\n${outcome.story}`);
        return { name, isEmpty, rows: outcome.kind === 'same' ? outcome.rows : 0 };
      };
    },
    count: ({ name, isEmpty, rows }) => {
      told.asked++;
      if (name === undefined) return;
      if (isEmpty) told.empty++;
      else told.rolled++;
      told.rows += rows;
    },
  });
  console.log(
    `${told.asked} questions: ${told.rolled} answered by rollups with ${(told.rows / Math.max(told.rolled, 1)).toFixed(1)} rows each, ${told.empty} asked again`,
  );
  expect(told.rolled).toBeGreaterThan(told.asked / 4);
});
