import type { SemanticJoin } from '../../../domain/semantic-model.ts';
import type { SemanticScope, SemanticWorld } from './semantic-scope.ts';

/** One way between two semantic models: the joins in order, each crossed in either direction. */
export type JoinPath = readonly SemanticJoin[];

interface Step {
  readonly to: string;
  readonly join: SemanticJoin;
}

/** Finds ways over the joins of all semantic models. Work per question is bounded, whatever the joins are. */
export class JoinPaths {
  readonly #steps = new Map<string, Step[]>();
  readonly #found = new Map<string, readonly JoinPath[]>();

  constructor(world: SemanticWorld) {
    for (const [name, scope] of world.scopes)
      for (const join of scope.semantic.joins) {
        const to = join.model.value.toLowerCase();
        if (!world.scopes.has(to) || to === name) continue;
        this.#add(name, { to, join });
        this.#add(to, { to: name, join });
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
    if (start === goal) return [[]];
    const key = `${start}\n${goal}`;
    let paths = this.#found.get(key);
    if (paths === undefined) {
      paths = this.#search(start, goal);
      this.#found.set(key, paths);
    }
    return paths;
  }

  #search(start: string, goal: string): readonly JoinPath[] {
    const paths: JoinPath[] = [];
    const queue: { readonly at: string; readonly path: JoinPath; readonly seen: readonly string[] }[] = [
      { at: start, path: [], seen: [start] },
    ];
    for (let i = 0; i < queue.length && i < STEPS_MAX && paths.length < PATHS_MAX; i++) {
      const { at, path, seen } = queue[i] as (typeof queue)[number];
      for (const { to, join } of this.#steps.get(at) ?? []) {
        if (to === goal) paths.push([...path, join]);
        else if (!seen.includes(to)) queue.push({ at: to, path: [...path, join], seen: [...seen, to] });
      }
    }
    return paths;
  }
}

const PATHS_MAX = 4;
const STEPS_MAX = 5_000;

/** A way in words: the roles of its joins. */
export function pathText(path: JoinPath): string {
  return path.map((join) => join.name.value).join(' → ');
}
