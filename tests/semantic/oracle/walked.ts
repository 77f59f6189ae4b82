/* One fact of a question: its rows with all combinations that pass, and the groups they are in. */
import type { QueryFilter } from '../../../src/domain/semantic-query.ts';
import { bucketOf, isInRange } from './calendar.ts';
import { type Combination, combinationsOf } from './combinations.ts';
import { holdsOf } from './filters.ts';
import { memberValue, rowForm } from './members.ts';
import { isToOne, modelNamed, type Path, pathKey, pathTo } from './paths.ts';
import { type DimensionUse, dimensionUse, type Leaf, leavesOf, type Question } from './question.ts';
import { Refused } from './refused.ts';
import { isMoment, keyOf, type Row, type Value } from './value.ts';
import type { WorldModel } from './world.ts';

/** A row of a fact with the dimension values of one passing combination. */
export interface Passing {
  readonly row: Row;
  readonly dimensions: readonly Value[];
  readonly combination: Combination;
}

export interface Walked {
  readonly fact: WorldModel;
  readonly passing: readonly Passing[];
  readonly paths: readonly Path[];
  readonly pathOf: (name: string) => Path;
  readonly holds: (combination: Combination, filter: QueryFilter, decided: Decided) => boolean;
  /** Some row had more than one combination. */
  readonly fansOut: boolean;
}

/** What a window says of filters, or of parts of them, in place of the row; undefined: the row decides. */
export type Decided = (filter: QueryFilter) => boolean | undefined;

/** What the walk does not look at, because a window treats it itself. */
export interface LeftOut {
  readonly decided: Decided;
  readonly ranges: Question['ranges'];
}

/** Why a fact cannot answer: every code that the rules page has for what it does not reach. */
export function pathProblems(question: Question, fact: WorldModel): readonly string[] {
  const { world, query, dimensions } = question;
  const codes = new Set<string>();
  const look = (name: string, canIgnore: boolean): void => {
    try {
      pathTo(world, fact.name, name, query.joinHints);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (canIgnore && isUnreachable(error)) return;
      for (const code of error.codes) codes.add(code);
    }
  };
  const canIgnore = query.unreachableFilters === 'ignore';
  for (const { through } of dimensions) look(through, false);
  for (const { through } of question.segments) look(through, canIgnore);
  for (const { use } of question.ranges) look(use.through, canIgnore);
  for (const leaf of question.rowFilters.flatMap(leavesOf)) look(split(leaf).through, canIgnore);
  return [...codes];
}

const isUnreachable = (error: Refused): boolean => error.codes.includes('semantic.no-path');

export function walkFact(question: Question, fact: WorldModel, leftOut?: LeftOut): Walked {
  const { world, query, zone, now } = question;
  const known = new Map<string, Path>();
  const pathOf = (name: string): Path => {
    const path = known.get(name) ?? pathTo(world, fact.name, name, query.joinHints);
    known.set(name, path);
    return path;
  };
  const isReached = (names: readonly string[]): boolean => {
    try {
      names.map(pathOf);
      return true;
    } catch (error) {
      if (error instanceof Refused && isUnreachable(error) && query.unreachableFilters === 'ignore')
        return false;
      throw error;
    }
  };
  const filters = question.rowFilters.filter((filter) =>
    isReached(leavesOf(filter).map((leaf) => split(leaf).through)),
  );
  const ranges = question.ranges.filter(
    (range) => !leftOut?.ranges.includes(range) && isReached([range.use.through]),
  );
  const segments = question.segments.filter(({ through }) => isReached([through]));
  const named = [
    ...question.dimensions.map(({ through }) => through),
    ...ranges.map(({ use }) => use.through),
    ...(leftOut?.ranges ?? []).map(({ use }) => use.through),
    ...segments.map(({ through }) => through),
    ...filters.flatMap(leavesOf).map((leaf) => split(leaf).through),
  ];
  const paths = named.map(pathOf);
  const value = (combination: Combination, use: { through: string; member: string }): Value =>
    memberValue(
      world,
      modelNamed(world, use.through),
      combination.get(pathKey(pathOf(use.through))),
      use.member,
    );
  const holds = (combination: Combination, filter: QueryFilter, decided: Decided): boolean => {
    const known = decided(filter);
    if (known !== undefined) return known;
    if (filter.kind !== 'member')
      return filter.kind === 'and'
        ? filter.filters.every((each) => holds(combination, each, decided))
        : filter.filters.some((each) => holds(combination, each, decided));
    const { through, member } = split(filter);
    const model = modelNamed(world, through);
    const row = combination.get(pathKey(pathOf(through)));
    if (filter.operator === 'measureFilter') {
      const conditions = model.measures.find((each) => each.name === member)?.filters ?? [];
      return conditions.every((condition) => rowForm(world, model, row, condition) === true);
    }
    const use = dimensionUse(world, filter.member);
    const found = shown(memberValue(world, model, row, member), use, zone);
    // A bucket is local already.
    return holdsOf(filter, found, use.type, { zone: use.granularity === undefined ? zone : 'UTC', now });
  };
  const passes = (combination: Combination): boolean =>
    filters.every((filter) => holds(combination, filter, leftOut?.decided ?? (() => undefined))) &&
    ranges.every(({ use, range }) => {
      const time = value(combination, use);
      return isMoment(time) && isInRange(time, range, zone);
    }) &&
    segments.every(
      ({ through, condition }) =>
        rowForm(world, modelNamed(world, through), combination.get(pathKey(pathOf(through))), condition) ===
        true,
    );
  let fansOut = false;
  const passing = fact.rows.flatMap((row) => {
    const all = combinationsOf(world, row, paths);
    if (all.length > 1) fansOut = true;
    return all.filter(passes).map((combination) => ({
      row,
      combination,
      dimensions: question.dimensions.map((use) => shown(value(combination, use), use, zone)),
    }));
  });
  return { fact, passing, paths, pathOf, holds, fansOut };
}

function shown(value: Value, use: DimensionUse, zone: string): Value {
  return use.granularity === undefined || !isMoment(value) ? value : bucketOf(value, use.granularity, zone);
}

function split({ member }: Leaf): { readonly through: string; readonly member: string } {
  const [through = '', name = ''] = member.split('.');
  return { through, member: name };
}

/** Rows by group, each row once per group however many combinations lead there. */
export function groupsOf(
  passing: readonly Passing[],
): Map<string, { dimensions: readonly Value[]; rows: Row[] }> {
  const groups = new Map<string, { dimensions: readonly Value[]; rows: Row[] }>();
  for (const { row, dimensions } of passing) {
    const key = groupKey(dimensions);
    const group = groups.get(key) ?? { dimensions, rows: [] };
    if (!group.rows.includes(row)) group.rows.push(row);
    groups.set(key, group);
  }
  return groups;
}

export const groupKey = (dimensions: readonly Value[]): string => dimensions.map(keyOf).join('\n');

export const fansOut = (paths: readonly Path[]): boolean => paths.some((path) => !path.every(isToOne));
