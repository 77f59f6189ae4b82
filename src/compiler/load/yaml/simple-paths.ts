/*
 * Ways between two nodes that visit none twice. There can be more of them than anything can look at, so only the first few are
 * looked for: whether there is none, one or more is known exactly, and the work grows with the edges, not with the ways.
 *
 *   the next way leaves one that is known at some node, over an edge that no known way with the same beginning takes (Yen, 1971)
 */

/** An edge to a neighbour; graphs are given by the edges that leave each node. */
interface StepTo {
  readonly to: string;
}

type StepsOf<Step> = (name: string) => readonly Step[];

/** Between which nodes ways are looked for, and which they must not pass. */
export interface Search {
  readonly start: string;
  readonly goal: string;
  readonly passed?: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** The shortest ways, at most `most` of them, the shortest first; fewer than that are all there are. */
export function fewestSteps<Step extends StepTo>(
  stepsOf: StepsOf<Step>,
  { start, goal, passed = NONE }: Search,
  most: number,
): readonly (readonly Step[])[] {
  const shortest = shortestPath(stepsOf, { start, goal, passed }, new Set());
  if (shortest === undefined) return [];
  const found: (readonly Step[])[] = [shortest];
  const known = new Set([textOf(stepsOf, start, shortest)]);
  const others: (readonly Step[])[] = [];
  while (found.length < most) {
    const last = found.at(-1) as readonly Step[];
    const seen = new Set(passed);
    for (let i = 0; i < last.length; i++) {
      const from = i === 0 ? start : (last[i - 1] as Step).to;
      const begun = last.slice(0, i);
      const taken = found.flatMap((path) => (begun.every((step, at) => path[at] === step) ? [path[i]] : []));
      const rest = shortestPath(stepsOf, { start: from, goal, passed: seen }, new Set(taken));
      const path = rest && [...begun, ...rest];
      const text = path && textOf(stepsOf, start, path);
      if (path !== undefined && text !== undefined && !known.has(text)) {
        known.add(text);
        others.push(path);
      }
      seen.add(from);
    }
    others.sort((a, b) => a.length - b.length);
    const next = others.shift();
    if (next === undefined) break;
    found.push(next);
  }
  return found;
}

/** Equal for equal ways: which of its edges each node is left by. */
function textOf<Step extends StepTo>(stepsOf: StepsOf<Step>, start: string, path: readonly Step[]): string {
  return path.map((step, i) => stepsOf(i === 0 ? start : (path[i - 1] as Step).to).indexOf(step)).join(' ');
}

/** By breadth first, without some edges at the start. */
function shortestPath<Step extends StepTo>(
  stepsOf: StepsOf<Step>,
  { start, goal, passed }: Required<Search>,
  left: ReadonlySet<Step | undefined>,
): readonly Step[] | undefined {
  if (start === goal) return [];
  const before = new Map<string, { readonly step: Step; readonly from: string }>();
  const queue = [start];
  for (const at of queue)
    for (const step of stepsOf(at)) {
      const { to } = step;
      if (to === start || before.has(to) || passed.has(to) || (at === start && left.has(step))) continue;
      before.set(to, { step, from: at });
      if (to !== goal) {
        queue.push(to);
        continue;
      }
      const path: Step[] = [];
      for (let back = before.get(goal); back !== undefined; back = before.get(back.from))
        path.push(back.step);
      return path.reverse();
    }
  return undefined;
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
