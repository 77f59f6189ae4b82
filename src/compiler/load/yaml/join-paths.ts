import type { SemanticJoin } from '../../../domain/semantic-model.ts';
import type { SemanticScope, SemanticWorld } from './semantic-scope.ts';

/** One way between two semantic models: the joins in order, each crossed in either direction. */
export type JoinPath = readonly SemanticJoin[];

interface Step {
  readonly to: string;
  readonly isToOne: boolean;
  readonly join: SemanticJoin;
}

/** Finds ways over the joins of all semantic models. Work per question is bounded, whatever the joins are. */
export class JoinPaths {
  readonly #steps = new Map<string, Step[]>();
  readonly #found = new Map<string, readonly JoinPath[]>();
  readonly #toOne = new WeakSet<JoinPath>();

  constructor(world: SemanticWorld) {
    for (const [name, scope] of world.scopes)
      for (const join of scope.semantic.joins) {
        const to = join.model.value.toLowerCase();
        if (!world.scopes.has(to) || to === name || isBridged(join)) continue;
        const { type } = join;
        const isOneToOne = type === 'one_to_one';
        this.#add(name, { to, join, isToOne: isOneToOne || type === 'many_to_one' });
        this.#add(to, { to: name, join, isToOne: isOneToOne || type === 'one_to_many' });
      }
  }

  #add(from: string, step: Step): void {
    const steps = this.#steps.get(from);
    if (steps === undefined) this.#steps.set(from, [step]);
    else steps.push(step);
  }

  /** Up to `PATHS_MAX` different ways without going round in a circle; the shortest first. */
  between(from: SemanticScope, to: SemanticScope): readonly JoinPath[] {
    const start = from.name.toLowerCase();
    const goal = to.name.toLowerCase();
    const key = `${start}\n${goal}`;
    let paths = this.#found.get(key);
    if (paths === undefined) {
      paths = simplePaths((name) => this.#steps.get(name) ?? [], start, goal).map((steps) => {
        const path = steps.map(({ join }) => join);
        if (steps.every(({ isToOne }) => isToOne)) this.#toOne.add(path);
        return path;
      });
      this.#found.set(key, paths);
    }
    return paths;
  }

  /** Whether a way that was found here meets at most one row from each. */
  isToOne(path: JoinPath): boolean {
    return this.#toOne.has(path);
  }
}

const PATHS_MAX = 16;
const STEPS_MAX = 5_000;

/** Whether a join is no edge of its own, but the two joins of its bridge crossed one after the other. */
export function isBridged(join: SemanticJoin): boolean {
  return join.type === 'many_to_many' && join.through !== undefined;
}

/** Ways from one name to another that visit none twice, the shortest first; bounded in number and work. */
export function simplePaths<Step extends { readonly to: string }>(
  stepsOf: (name: string) => readonly Step[],
  start: string,
  goal: string,
): readonly (readonly Step[])[] {
  if (start === goal) return [[]];
  const paths: (readonly Step[])[] = [];
  const queue: { at: string; path: readonly Step[]; seen: readonly string[] }[] = [
    { at: start, path: [], seen: [start] },
  ];
  for (let i = 0; i < queue.length && i < STEPS_MAX && paths.length < PATHS_MAX; i++) {
    const { at, path, seen } = queue[i] as (typeof queue)[number];
    for (const step of stepsOf(at)) {
      if (step.to === goal) paths.push([...path, step]);
      else if (!seen.includes(step.to))
        queue.push({ at: step.to, path: [...path, step], seen: [...seen, step.to] });
    }
  }
  return paths;
}

/** A way in words: the roles of its joins. */
export function pathText(path: readonly { readonly name: { readonly value: string } }[]): string {
  return path.map((join) => join.name.value).join(' → ');
}
