/** An answer that is not what the API promises. */
export class Unexpected extends Error {}

export function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Unexpected(what);
}
