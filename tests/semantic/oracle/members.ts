import { evaluateForm, type Form, type FormContext } from './form.ts';
import { follow, isToOne, modelNamed, pathTo } from './paths.ts';
import { Refused } from './refused.ts';
import type { Row, Value } from './value.ts';
import type { World, WorldModel } from './world.ts';

/** A column or dimension of a row; of the row of NULLs (`undefined`) columns are NULL and the rest is computed of them. */
export function memberValue(world: World, model: WorldModel, row: Row | undefined, name: string): Value {
  const dimension = model.dimensions.find((each) => each.name === name);
  if (dimension?.isMaskedIn?.(row) === true)
    return dimension.mask === undefined ? null : rowForm(world, model, row, dimension.mask, name);
  if (model.columns.some((column) => column.name === name)) return row?.[name] ?? null;
  if (dimension?.expression === undefined) throw new Error(`${model.name} has no ${name}`);
  return rowForm(world, model, row, dimension.expression);
}

/** A form over one row. References to other models follow to-one edges; a fan-out is refused. In the mask of `masked`, that name is the column. */
export function rowForm(
  world: World,
  model: WorldModel,
  row: Row | undefined,
  form: Form,
  masked?: string,
): Value {
  const context: FormContext = {
    reference({ model: other, name }) {
      if (other === undefined || other === model.name)
        return name === masked ? (row?.[name] ?? null) : memberValue(world, model, row, name);
      const path = pathTo(world, model.name, other);
      if (!path.every(isToOne)) throw new Refused(['semantic.fan-out-in-measure']);
      return memberValue(world, modelNamed(world, other), follow(world, row, path), name);
    },
    aggregate() {
      throw new Error('an aggregate of one row');
    },
    over() {
      throw new Error('a window over one row');
    },
  };
  return evaluateForm(form, context);
}
