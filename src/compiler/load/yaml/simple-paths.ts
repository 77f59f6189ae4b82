/*
 * Ways between two nodes that visit none twice. There can be more of them than anybody can look at, so the work is bounded, and
 * the answer says whether it is all of them. What lies on no such way is left out first, in one pass: most searches then end.
 *
 *   a ── b ── goal      with a line between a and goal, `b` is on a circle with both, `hub` and all behind it are not
 *   └── hub ── …
 */

/** An edge to a neighbour; graphs are given by the edges that leave each node. */
interface StepTo {
  readonly to: string;
}

/** Ways that were found, the shortest first. */
export interface FoundPaths<Step> {
  readonly paths: readonly (readonly Step[])[];
  /** False: the search was given up, there may be others. */
  readonly isComplete: boolean;
}

type StepsOf<Step> = (name: string) => readonly Step[];

const PATHS_MAX = 100;
const STEPS_MAX = 5_000;

/** Looks for ways through the nodes of `within` alone. */
export function simplePaths<Step extends StepTo>(
  stepsOf: StepsOf<Step>,
  {
    start,
    goal,
    within,
  }: { readonly start: string; readonly goal: string; readonly within: ReadonlySet<string> },
): FoundPaths<Step> {
  if (start === goal) return { paths: [[]], isComplete: true };
  const paths: (readonly Step[])[] = [];
  const queue: { at: string; path: readonly Step[]; seen: readonly string[] }[] = [
    { at: start, path: [], seen: [start] },
  ];
  let i = 0;
  for (; i < queue.length && i < STEPS_MAX && paths.length < PATHS_MAX; i++) {
    const { at, path, seen } = queue[i] as (typeof queue)[number];
    for (const step of stepsOf(at)) {
      if (step.to === goal) paths.push([...path, step]);
      else if (within.has(step.to) && !seen.includes(step.to))
        queue.push({ at: step.to, path: [...path, step], seen: [...seen, step.to] });
    }
  }
  return { paths, isComplete: i === queue.length };
}

/** The nodes on any way that visits none twice, exactly, where every edge can be crossed in both directions. */
export function nodesBetween(stepsOf: StepsOf<StepTo>, start: string, goal: string): ReadonlySet<string> {
  // With an edge between start and goal they share one block (two nodes are always on a common circle), which is the answer.
  const order = new Map([
    [start, 0],
    [goal, 1],
  ]);
  const lowest = new Map([[goal, 0]]);
  const block = [goal];
  const open = [{ node: goal, steps: stepsOf(goal), next: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const { node } = top;
    const step = top.steps[top.next++];
    if (step === undefined) {
      open.pop();
      const above = open.at(-1);
      if (above === undefined) break;
      const low = lowest.get(node) as number;
      // Nothing below reaches past the node above: it hangs there, on no way to the start.
      if (low >= (order.get(above.node) as number)) block.splice(block.lastIndexOf(node));
      else lowest.set(above.node, Math.min(lowest.get(above.node) as number, low));
      continue;
    }
    const met = order.get(step.to);
    if (met !== undefined) {
      lowest.set(node, Math.min(lowest.get(node) as number, met));
      continue;
    }
    lowest.set(step.to, order.size);
    order.set(step.to, order.size);
    block.push(step.to);
    open.push({ node: step.to, steps: stepsOf(step.to), next: 0 });
  }
  return new Set([start, ...block]);
}

/** The nodes on any way along the edges' directions (or on one that visits a node twice). */
export function nodesTowards(stepsOf: StepsOf<StepTo>, start: string, goal: string): ReadonlySet<string> {
  const before = new Map<string, string[]>([[start, []]]);
  for (const node of before.keys())
    for (const { to } of stepsOf(node)) {
      const known = before.get(to);
      if (known === undefined) before.set(to, [node]);
      else known.push(node);
    }
  const found = new Set(before.has(goal) ? [goal] : []);
  for (const node of found) for (const each of before.get(node) ?? []) found.add(each);
  return found;
}
