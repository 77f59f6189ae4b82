/*
 * Which perspectives a change of an environment breaks. All are looked at; who sees which is decided where they are shown.
 * Nothing is compiled when neither the semantics nor the columns of a model differ.
 */
import type { AskedSide } from '../../compiler/semantic/perspectives/asked-side.ts';
import {
  type BrokenPerspective,
  brokenPerspectives,
} from '../../compiler/semantic/perspectives/broken-perspectives.ts';
import type { Environment } from '../../domain/environment.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { Plan } from '../../domain/plan.ts';
import type { WorldReader } from '../world.ts';
import { askedSideOf } from './asked-side.ts';
import { everyPerspective } from './every-perspective.ts';

type World = Pick<WorldReader, 'state' | 'engine' | 'clock'>;

export async function perspectivesBroken(
  world: World,
  {
    before,
    target,
    plan,
  }: { readonly before: Environment; readonly target: Environment; readonly plan?: Plan },
): Promise<readonly BrokenPerspective[]> {
  if (shapeOf(before) === shapeOf(target)) return [];
  let sides: { readonly before: AskedSide; readonly after: AskedSide } | undefined;
  const found: BrokenPerspective[] = [];
  for await (const page of everyPerspective(world.state.perspectives)) {
    if (page.length === 0) break;
    if (sides === undefined) {
      const [was, becomes] = [await askedSideOf(world, before), await askedSideOf(world, target, plan)];
      if (was === undefined || becomes === undefined) return [];
      sides = { before: was, after: becomes };
    }
    found.push(...brokenPerspectives(page, sides));
  }
  return found;
}

/** Equal for environments of which the same can be asked. */
const shapeOf = ({ entries, definitions }: Environment): string =>
  JSON.stringify([
    entries.map(({ model, columns }) => [model, columns]).sort(),
    Object.entries(definitions)
      .filter(([key]) => key.startsWith('semantic:') || key.startsWith('metric:'))
      .sort(),
  ]);

/** For the log, in the transaction of the promotion. Environments that expire are for trying things out, and tell no owner. */
export async function brokenEvents(
  world: World,
  {
    before,
    target,
    at,
    runId,
  }: {
    readonly before: Environment;
    readonly target: Environment;
    readonly at: number;
    readonly runId: string;
  },
): Promise<readonly NewEvent[]> {
  if (target.expiresAt !== undefined) return [];
  return (await perspectivesBroken(world, { before, target })).map(
    ({ perspective: { id, slug, name, owner, visibility, version }, because }): NewEvent => ({
      at,
      runId,
      environment: target.name,
      event: 'perspective.broken',
      data: { id, slug, name, owner, visibility, version, because, planId: target.planId },
    }),
  );
}
