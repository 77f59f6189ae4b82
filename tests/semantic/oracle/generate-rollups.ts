/* Rollups for a world, and questions that they might answer. */
import type { QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { neighbours } from './generate-forms.ts';
import { allMembers, dateFilter, leafOf, rangeOf, ZONES } from './generate-query.ts';
import { pathsBetween } from './paths.ts';
import type { Tape } from './tape.ts';
import type { World, WorldModel, WorldRollup } from './world.ts';

const UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const;
const isTime = (type: string): boolean => type === 'date' || type === 'timestamp';

/** Two rollups for each model: by own dimensions and those of its neighbours, now and then by what fans out. */
export function withRollups(tape: Tape, world: World): World {
  return {
    ...world,
    models: world.models.map((model) => ({
      ...model,
      rollups: [0, 1].map((i) => rollupOf(tape, world, model, i)),
    })),
  };
}

function rollupOf(tape: Tape, world: World, model: WorldModel, i: number): WorldRollup {
  const reached = world.models.filter((other) => pathsBetween(world, model.name, other.name).length === 1);
  const sources = tape.chance(15) ? reached : [model, ...neighbours(world, model)];
  const members = sources.flatMap((each) =>
    each.dimensions.filter(({ type }) => !isTime(type)).map(({ name }) => `${each.name}.${name}`),
  );
  const times = model.columns.filter(({ type }) => isTime(type));
  return {
    name: `kept${i}`,
    measures: [...new Set(['count', ...tape.some(model.measures, 4).map(({ name }) => name)])],
    dimensions: tape.some(members, 1 + tape.next(3)),
    segments: model.segments.length > 0 && tape.chance(35) ? ['seg'] : [],
    ...(times.length > 0 && tape.chance(60)
      ? { time: { name: tape.pick(times).name, granularity: tape.pick([...UNITS, 'day', 'month', 'hour']) } }
      : {}),
  };
}

/** Asks for some of what a rollup keeps, mostly. */
export function rolledQueryOf(tape: Tape, world: World): SemanticQuery {
  const model = tape.pick(world.models);
  const rollup = tape.pick(model.rollups ?? []);
  const kept = rollup.measures.map((name) => `${model.name}.${name}`);
  const measures = [...tape.some(kept, 1 + tape.next(3))];
  if (tape.chance(10)) measures.push(`${tape.pick(world.models).name}.count`);
  const asked = allMembers(world);
  const named = asked.filter(({ name }) => rollup.dimensions.includes(name));
  const isWhole = tape.chance(20);
  const dimensions = isWhole ? [...rollup.dimensions] : [...tape.some(rollup.dimensions, tape.next(3))];
  const filters: QueryFilter[] = [];
  if (tape.chance(40) && named.length > 0) filters.push(leafOf(tape, tape.pick(named)));
  if (tape.chance(15) && named.length > 0)
    filters.push({ kind: 'or', filters: [leafOf(tape, tape.pick(named)), leafOf(tape, tape.pick(named))] });
  const time = rollup.time && `${model.name}.${rollup.time.name}`;
  if (time !== undefined && tape.chance(20)) filters.push(dateFilter(tape, time));
  const granularity = isWhole ? rollup.time?.granularity : tape.pick([...UNITS, 'month', 'year']);
  return {
    measures: [...new Set(measures)],
    dimensions,
    ...(rollup.segments.length > 0 && tape.chance(40) ? { segments: [`${model.name}.seg`] } : {}),
    ...(filters.length > 0 ? { filters } : {}),
    ...(time !== undefined && (isWhole || tape.chance(55))
      ? {
          timeDimensions: [
            {
              dimension: time,
              ...(isWhole || tape.chance(75) ? { granularity: granularity as string } : {}),
              ...(tape.chance(40) ? { dateRange: rangeOf(tape) } : {}),
            },
          ],
        }
      : {}),
    ...(tape.chance(10) ? { timezone: tape.pick(ZONES) } : {}),
    ...(tape.chance(15) ? { limit: 1 + tape.next(4) } : {}),
    ...(tape.chance(20) ? { unreachableFilters: 'ignore' as const } : {}),
  };
}
