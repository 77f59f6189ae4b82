import { isToOne, modelNamed, pathsBetween, pathTo, targetOf } from './paths.ts';
import { leavesOf, type Question } from './question.ts';
import { Refused } from './refused.ts';
import type { WorldModel } from './world.ts';

/** Whose rows are walked when no measure says it: the one model that reaches all named ones to-one. */
export function baseOf(question: Question): WorldModel {
  const { world, query } = question;
  const names = [
    ...question.dimensions.map(({ through }) => through),
    ...question.ranges.map(({ use }) => use.through),
    ...question.segments.map(({ through }) => through),
    ...question.rowFilters.flatMap(leavesOf).map(({ member }) => member.split('.')[0] as string),
  ];
  const named = [...new Set(names.map((name) => modelNamed(world, name)))];
  const reachesAll = (model: WorldModel): boolean => {
    try {
      return names.every((name) => pathTo(world, model.name, name, query.joinHints).every(isToOne));
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  };
  const inside = named.filter(reachesAll);
  if (inside.length === 1) return inside[0] as WorldModel;
  if (inside.length > 1) throw new Undecided('several of the named models reach all others');
  const between = new Set<string>();
  for (const one of named)
    for (const other of named)
      for (const path of one === other ? [] : pathsBetween(world, one.name, other.name))
        for (const step of path) between.add(targetOf(step));
  for (const { name, joins } of world.models)
    if (joins.some((join) => names.includes(join.name))) between.add(name);
  const candidates = [...between].map((name) => modelNamed(world, name)).filter(reachesAll);
  if (candidates.length === 1) return candidates[0] as WorldModel;
  throw new Refused([
    'semantic.no-base',
    'semantic.ambiguous-path',
    'semantic.no-path',
    'semantic.unreachable-member',
  ]);
}

/** The rules leave this open, so the case says nothing. */
export class Undecided extends Error {}
