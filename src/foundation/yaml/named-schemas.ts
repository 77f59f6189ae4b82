import type { JsonContext, JsonSchema, Schema } from './schema.ts';

/** A schema that contains itself, under a name in the published schema's `$defs`. */
export function recursive<Value>(name: string, make: () => Schema<Value>): Schema<Value> {
  let made: Schema<Value> | undefined;
  const get = (): Schema<Value> => {
    made ??= make();
    return made;
  };
  return {
    expected: name,
    accepts: (node) => get().accepts(node),
    read: (node, reader) => get().read(node, reader),
    json: (context) => definition(name, get(), context),
    parts: () => ({ kind: 'named', name, schema: get() }),
  };
}

/** A schema that is used in several places, published once under `$defs`. */
export function named<Value>(name: string, schema: Schema<Value>): Schema<Value> {
  return {
    ...schema,
    json: (context) => definition(name, schema, context),
    parts: () => ({ kind: 'named', name, schema }),
  };
}

function definition(name: string, schema: Schema<unknown>, context: JsonContext): JsonSchema {
  if (!Object.hasOwn(context.definitions, name)) {
    context.definitions[name] = {};
    context.definitions[name] = schema.json(context);
  }
  return { $ref: `#/$defs/${name}` };
}
