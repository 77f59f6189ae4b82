/** Values at the limits of a JSON schema, as an attacker takes them from an OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

const TEXT_MAX = 20_000;
const ITEMS_MAX = 2_000;
const DEPTH_MAX = 4;

/** `pick` is given how many there are and chooses one. */
export function extremeValue(schema: Schema, pick: (count: number) => number, depth = 0): unknown {
  const among = (values: readonly unknown[]): unknown => values[pick(values.length)];
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
  if (alternatives !== undefined) return extremeValue(among(alternatives) as Schema, pick, depth);
  if (Array.isArray(schema['enum'])) return among(schema['enum']);
  const types = [schema['type'] ?? 'object'].flat() as unknown as readonly string[];
  switch (among(types)) {
    case 'string':
      return extremeText(schema, pick);
    case 'integer':
    case 'number': {
      const { minimum = -1e15, maximum = 1e15 } = schema as {
        readonly minimum?: number;
        readonly maximum?: number;
      };
      return among([minimum, maximum, Math.min(maximum, Math.max(minimum, 0))]);
    }
    case 'boolean':
      return pick(2) === 0;
    case 'array': {
      if (depth > DEPTH_MAX) return [];
      const { maxItems = ITEMS_MAX, items = {} } = schema as {
        readonly maxItems?: number;
        readonly items?: Schema;
      };
      const count = among([0, 1, Math.min(maxItems, depth > 1 ? 20 : ITEMS_MAX)]) as number;
      return Array.from({ length: count }, () => extremeValue(items, pick, depth + 1));
    }
    case 'object': {
      const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
      const required = (schema['required'] ?? []) as readonly string[];
      return Object.fromEntries(
        properties
          .filter(([name]) => required.includes(name) || (depth <= DEPTH_MAX && pick(3) > 0))
          .map(([name, each]) => [name, extremeValue(each, pick, depth + 1)]),
      );
    }
    default:
      return null;
  }
}

function extremeText({ maxLength = TEXT_MAX, pattern }: Schema, pick: (count: number) => number): string {
  const length = Math.min(Number(maxLength), TEXT_MAX);
  const letters = ['a', '%', 'é', '😀', '"', '\\', "'", '9', ' ', '.'];
  const letter = pattern === undefined ? (letters[pick(letters.length)] as string) : 'a';
  return letter.repeat(
    Math.max(1, Math.floor([1, length / letter.length, length / 2 / letter.length][pick(3)] ?? 1)),
  );
}
