import type { SemanticJoin } from '../../../domain/semantic-model.ts';
import type { SemanticScope, SemanticWorld } from './semantic-scope.ts';
import { type FoundPaths, nodesBetween, simplePaths } from './simple-paths.ts';

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
  readonly #found = new Map<string, FoundPaths<SemanticJoin>>();
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

  /** Different ways without going round in a circle, the shortest first. */
  between(from: SemanticScope, to: SemanticScope): FoundPaths<SemanticJoin> {
    const start = from.name.toLowerCase();
    const goal = to.name.toLowerCase();
    const key = `${start}\n${goal}`;
    let found = this.#found.get(key);
    if (found === undefined) {
      const stepsOf = (name: string): readonly Step[] => this.#steps.get(name) ?? [];
      const within = nodesBetween(stepsOf, start, goal);
      const { paths, isComplete } = simplePaths(stepsOf, { start, goal, within });
      found = {
        paths: paths.map((steps) => {
          const path = steps.map(({ join }) => join);
          if (steps.every(({ isToOne }) => isToOne)) this.#toOne.add(path);
          return path;
        }),
        isComplete,
      };
      this.#found.set(key, found);
    }
    return found;
  }

  /** Whether a way that was found here meets at most one row from each. */
  isToOne(path: JoinPath): boolean {
    return this.#toOne.has(path);
  }
}

/** Whether a join is no edge of its own, but the two joins of its bridge crossed one after the other. */
export function isBridged(join: SemanticJoin): boolean {
  return join.type === 'many_to_many' && join.through !== undefined;
}

/** A way in words: the roles of its joins. */
export function pathText(path: readonly { readonly name: { readonly value: string } }[]): string {
  return path.map((join) => join.name.value).join(' → ');
}
