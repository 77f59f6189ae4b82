/** Ends a `switch` over a union: a forgotten case is a type error, and a loud crash if types were circumvented. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
