import { compare, type Form, int, reference, text } from './form.ts';
import { isToOne, pathsBetween } from './paths.ts';
import type { Tape } from './tape.ts';
import type { World, WorldModel } from './world.ts';

/** Models that expressions of this one may use: reached in exactly one way, to-one. */
export function neighbours(world: World, model: WorldModel): readonly WorldModel[] {
  return world.models.filter((other) => {
    if (other === model) return false;
    const paths = pathsBetween(world, model.name, other.name);
    return paths.length === 1 && (paths[0] ?? []).every(isToOne);
  });
}

export const has = (model: WorldModel, name: string): boolean =>
  model.columns.some((column) => column.name === name);

/** A condition on rows of a model, now and then on what it is joined to. */
export function conditionOf(tape: Tape, world: World, model: WorldModel): Form {
  const near = neighbours(world, model);
  const n = tape.chance(20) && near.length > 0 ? reference('n', tape.pick(near).name) : reference('n');
  const choices: Form[] = [
    compare('>', n, int(1)),
    { kind: 'is-null', of: n },
    { kind: 'not', of: compare('=', n, int(2)) },
    ...(has(model, 'label')
      ? [compare('=', reference('label'), text('a')), compare('<>', reference('label'), text("it's"))]
      : []),
    ...(has(model, 'flag') ? [reference('flag')] : []),
    { kind: 'or', left: compare('<=', n, int(0)), right: { kind: 'is-null', of: reference('n') } },
    { kind: 'and', left: compare('>=', n, int(0)), right: compare('<', n, int(3)) },
  ];
  return tape.pick(choices);
}
