/* Metrics are measures with a time: what they answer, alone and beside each other, is what the oracle computes for the measures they stand for. */
import { expect, test } from 'vitest';
import { IS_LONG } from '../../support/long-form.ts';
import { difference } from './answers.ts';
import { overCases, seedOf, TIME_MAX_MS } from './cases.ts';
import type { OracleAnswer } from './evaluate.ts';
import { metricQueryOf, metricsOf } from './generate-metrics.ts';
import { worldOf } from './generate-world.ts';
import { evaluateMetrics, withMetrics } from './metric-answers.ts';
import { compilerFor, database, NOW } from './project.ts';
import { Refused } from './refused.ts';
import { Tape } from './tape.ts';
import { showValue } from './value.ts';
import { metricYaml, modelYaml, tablesSql } from './yaml.ts';

test('metrics of all kinds answer like the measures they stand for', { timeout: TIME_MAX_MS }, async () => {
  const warehouse = await database();
  const asked = { all: 0, refused: 0, several: 0, conversions: 0, rows: 0 };
  await overCases({
    cases: IS_LONG ? 2_500 : 240,
    seed: seedOf(3),
    questionsMax: 30,
    prepare: async (choices) => {
      const bare = worldOf(choices);
      const metrics = metricsOf(new Tape(choices.extra), bare);
      if (metrics.length === 0) return undefined;
      const compile = compilerFor({ ...bare, metrics });
      const world = withMetrics(bare, metrics);
      await warehouse.fill(bare);
      return async (question) => {
        const query = metricQueryOf(new Tape(question), metrics);
        const story = (what: string, more: readonly string[] = []): Error => {
          const used = metrics.filter(({ name }) =>
            query.measures.some((word) => word.split('.')[0] === name),
          );
          const told = [
            what,
            ...bare.models.map(modelYaml),
            ...used.map(metricYaml),
            ...tablesSql(bare).slice(2),
          ];
          return new Error([...told, JSON.stringify(query), ...more].join('\n'));
        };
        let expected: OracleAnswer;
        const result = compile(query);
        try {
          expected = evaluateMetrics(world, metrics, query, NOW);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          if (result.ok) throw story(`answered what must be refused: ${error.codes}`, [result.compiled.sql]);
          const others = result.diagnostics.filter(({ code }) => !error.codes.includes(code));
          if (others.length > 0)
            throw story(`refused with ${others.map(({ code }) => code)} instead of ${error.codes}`);
          return { isRefused: true, query, rows: 0 };
        }
        if (!result.ok)
          throw story(result.diagnostics.map(({ code, message }) => `${code} ${message}`).join('\n'));
        const { sql, columns } = result.compiled;
        const { rows } = await warehouse.query(sql);
        const problem = difference(expected, query, { columns: columns.map(({ name }) => name), rows });
        if (problem !== undefined)
          throw story(problem, [
            sql,
            'expected',
            ...expected.rows.map((row) => row.map(showValue).join(' | ')),
            'got',
            ...rows.map((row) => JSON.stringify(row)),
          ]);
        return { isRefused: false, query, rows: rows.length };
      };
    },
    count: ({ isRefused, query, rows }) => {
      asked.all++;
      if (isRefused) asked.refused++;
      else if (query.measures.length > 1) asked.several++;
      if (!isRefused && query.measures.some((word) => word.includes('conversion'))) asked.conversions++;
      asked.rows += rows;
    },
  });
  console.log(
    `${asked.all} questions to metrics: ${asked.several} to several, ${asked.conversions} to conversions, ${asked.refused} refused, ${(asked.rows / asked.all).toFixed(1)} rows each`,
  );
  expect(asked.several).toBeGreaterThan(asked.all / 4);
  expect(asked.conversions).toBeGreaterThan(asked.all / 12);
  expect(asked.refused).toBeLessThan(asked.all / 4);
});
