import type { Graph, ModelSpec } from './graph.ts';
import type { Chance } from './random-graph.ts';

/** Changes a graph in one place, and says where. */
export function randomEdit({ models, semantics, metrics }: Graph, chance: Chance): string {
  // What a semantic model stands on more often than what nothing reads.
  const stood = semantics.map((each) => models.find(({ name }) => name === each.model) as ModelSpec);
  const model = chance.pick(chance.is(0.4) ? stood : models);
  const { name } = model;
  const column = chance.pick(model.columns.filter((each) => each.name !== model.key));
  switch (chance.below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      if (model.text !== undefined) break;
      column.expression = otherExpression(column.expression, chance);
      return `${name}.${column.name} is ${column.expression}`;
    case 4:
      if (model.text !== undefined) break;
      model.columns.push({ name: 'added', expression: `${column.expression}` });
      return `${name}.added`;
    case 5:
      if (model.text !== undefined || model.tail.includes('GROUP')) break;
      model.where = `${model.where === '' ? '' : `${model.where} AND `}(${column.expression}) < ${2 + chance.below(3)}`;
      return hasWindow(model)
        ? `${name} keeps its windows, where ${model.where}`
        : `${name} where ${model.where}`;
    case 6:
      if (model.text !== undefined || model.columns.length < 3) break;
      model.columns.splice(model.columns.indexOf(column), 1);
      return `${name} without ${column.name}`;
    case 7:
      model.owner = 'bea';
      return `${name} has another owner`;
    case 8:
      if (model.text === undefined) break;
      model.text = model.text.includes('< 9')
        ? model.text.replace('< 9', '< 2')
        : model.text.replace(' AS a', ' + 1 AS a');
      return `${name} is ${model.text}`;
    case 9: {
      const { name: semantic, measures } = chance.pick(semantics);
      const measure = chance.pick(measures);
      measure.expression = `${measure.expression} + 1`;
      return `${semantic}.${measure.name} is ${measure.expression}`;
    }
    case 10: {
      const { name: semantic, dimensions } = chance.pick(semantics);
      const dimension = chance.pick(dimensions);
      dimension.expression = `${dimension.expression} % 2`;
      return `${semantic}.${dimension.name} is ${dimension.expression}`;
    }
    default: {
      const { name: metric, body } = chance.pick(metrics);
      if (body['measure'] === undefined) break;
      body['measure'] = String(body['measure']).replace(/\.\w+$/, '.m2');
      return `${metric} is ${String(body['measure'])}`;
    }
  }
  if (model.text === undefined) column.expression = otherExpression(column.expression, chance);
  return `${name}.${column.name} is ${column.expression}`;
}

const hasWindow = ({ columns }: ModelSpec): boolean =>
  columns.some(({ expression }) => expression.includes('OVER'));

const otherExpression = (expression: string, chance: Chance): string =>
  chance.pick([
    `(${expression}) + 1`,
    `(${expression}) * 3 + 1`,
    `7 - (${expression})`,
    `CASE WHEN (${expression}) > 2 THEN 0 ELSE (${expression}) END`,
  ]);
