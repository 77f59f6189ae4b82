/* Metrics are measures with a time: what they answer is what the oracle computes for the measure they stand for. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { difference } from './answers.ts';
import { caseChoices } from './campaign.ts';
import { evaluateQuery } from './evaluate.ts';
import { reference } from './form.ts';
import { worldOf } from './generate-world.ts';
import { compilerFor, database, NOW } from './project.ts';
import { Tape } from './tape.ts';
import type { World, WorldMeasure, WorldMetric, WorldModel } from './world.ts';
import { metricYaml, modelYaml, tablesSql } from './yaml.ts';

const isLong = process.env['PLINTH_CAMPAIGN'] === '1';

/** One metric of each kind for a model with a time. */
function metricsOf(tape: Tape, model: WorldModel): readonly WorldMetric[] {
  const times = model.columns.filter(({ type }) => type === 'date' || type === 'timestamp');
  if (times.length === 0) return [];
  const additive = model.measures
    .filter(({ type }) => type === 'sum' || type === 'count')
    .map(({ name }) => name);
  const around = () => ({
    model: model.name,
    ts: tape.pick(times).name,
    dimensions: tape.some(
      ['n', ...model.dimensions.filter(({ type }) => type === 'text').map(({ name }) => name)],
      2,
    ),
    ...(model.segments.length > 0 && tape.chance(30) ? { segment: 'seg' } : {}),
  });
  const some = (): string => tape.pick(['count', ...additive]);
  return [
    {
      name: `${model.name}_simple`,
      kind: 'simple',
      measures: [tape.pick(['count', ...model.measures.map(({ name }) => name)])],
      ...around(),
    },
    { name: `${model.name}_ratio`, kind: 'ratio', measures: [some(), some()], ...around() },
    { name: `${model.name}_derived`, kind: 'derived', measures: [some(), some()], ...around() },
    {
      name: `${model.name}_cumulative`,
      kind: 'cumulative',
      measures: [some()],
      ...(tape.chance(40)
        ? {
            window: tape.pick([
              { count: 7, unit: 'day' },
              { count: 2, unit: 'month' },
            ] as const),
          }
        : tape.chance(50)
          ? { toDate: tape.pick(['month', 'year'] as const) }
          : {}),
      ...around(),
    },
  ];
}

/** The measure that a metric stands for. */
function measureFor({ name, kind, measures, window, toDate }: WorldMetric, model: WorldModel): WorldMeasure {
  const [first = '', second = ''] = measures;
  if (kind === 'ratio')
    return {
      name,
      type: 'number',
      filters: [],
      expression: { kind: 'divide', left: reference(first), right: reference(second) },
    };
  if (kind === 'derived')
    return {
      name,
      type: 'number',
      filters: [],
      expression: { kind: 'minus', left: reference(first), right: reference(second) },
    };
  const base = model.measures.find((each) => each.name === first) ?? {
    name: 'count',
    type: 'count',
    filters: [],
  };
  if (kind === 'simple') return { ...base, name };
  return {
    ...base,
    name,
    rolling:
      toDate === undefined
        ? { kind: 'trailing', trailing: window ?? 'unbounded', offset: 'end' }
        : { kind: 'to-date', unit: toDate },
  };
}

test('metrics of all kinds answer like the measures they stand for', { timeout: 900_000 }, async () => {
  const warehouse = await database();
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(caseChoices, async (choices) => {
      const bare = worldOf(choices);
      const metrics = bare.models.flatMap((model) => metricsOf(new Tape(choices.questions[0] ?? []), model));
      if (metrics.length === 0) return;
      const compile = compilerFor({ ...bare, metrics });
      const world: World = {
        ...bare,
        models: bare.models.map((model) => ({
          ...model,
          measures: [
            ...model.measures,
            ...metrics.filter((each) => each.model === model.name).map((each) => measureFor(each, model)),
          ],
        })),
      };
      await warehouse.fill(bare);
      for (const question of choices.questions.slice(1, 25)) {
        const tape = new Tape(question);
        const metric = tape.pick(metrics);
        const dimensions = tape.some(metric.dimensions, tape.next(3));
        const granularity = tape.pick(['month', 'day', 'year', 'week']);
        const range = tape.chance(40) ? { dateRange: ['2024-01-01', '2024-03-01'] as const } : {};
        const query: SemanticQuery = {
          measures: [`${metric.name}.${tape.pick(['measure', metric.name])}`],
          dimensions: dimensions.map((each) => `${metric.name}.${each}`),
          timeDimensions: [{ dimension: `${metric.name}.ts`, granularity, ...range }],
        };
        const same: SemanticQuery = {
          measures: [`${metric.model}.${metric.name}`],
          dimensions: dimensions.map((each) => `${metric.model}.${each}`),
          timeDimensions: [{ dimension: `${metric.model}.${metric.ts}`, granularity, ...range }],
          ...(metric.segment === undefined ? {} : { segments: [`${metric.model}.${metric.segment}`] }),
        };
        const expected = evaluateQuery(world, same, NOW);
        const columns = [...query.dimensions, `${metric.name}.ts.${granularity}`, ...query.measures];
        const result = compile(query);
        const story = [
          metricYaml(metric),
          modelYaml(bare.models.find(({ name }) => name === metric.model) as WorldModel),
          ...tablesSql(bare),
          JSON.stringify(query),
        ].join('\n');
        if (!result.ok)
          throw new Error(
            `${result.diagnostics.map(({ code, message }) => `${code} ${message}`).join('\n')}\n${story}`,
          );
        const got = await warehouse.query(result.compiled.sql);
        const problem = difference({ ...expected, columns }, query, {
          columns: result.compiled.columns.map(({ name }) => name),
          rows: got.rows,
        });
        if (problem !== undefined)
          throw new Error(
            `${problem}\n${story}\n${result.compiled.sql}\n${JSON.stringify(expected.rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
          );
        asked++;
      }
    }),
    {
      numRuns: isLong ? 80 : 8,
      seed: isLong ? Date.now() % 2 ** 31 : 3,
      interruptAfterTimeLimit: 300_000,
      markInterruptAsFailure: true,
    },
  );
  console.log(`${asked} questions to metrics`);
  expect(asked).toBeGreaterThan(isLong ? 600 : 60);
});
