/** Values of `${name}`; what Soda fills in itself (NOW) is not among them. */
export type SodaVariables = ReadonlyMap<string, string>;

const VARIABLE = /\$\{\s*([\w.-]+)\s*\}/g;

/** The text with its variables filled in, and the names of those that have no value. */
export function withVariables(
  text: string,
  variables: SodaVariables,
): { readonly text: string; readonly missing: readonly string[] } {
  const missing = new Set<string>();
  const filled = text.replace(VARIABLE, (whole, name: string) => {
    const value = variables.get(name);
    if (value === undefined) missing.add(name);
    return value ?? whole;
  });
  return { text: filled, missing: [...missing] };
}
