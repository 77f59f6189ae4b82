/** Makes GraphQL names of any texts: the same way every time, and never the same name for two things. */
export class GraphqlNames {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string> = []) {
    this.#taken = new Set(reserved);
  }

  take(wanted: string): string {
    const base = graphqlName(wanted);
    let name = base;
    for (let n = 2; this.#taken.has(name); n++) name = `${base}_${n}`;
    this.#taken.add(name);
    return name;
  }
}

/** Letters, digits and underscores, no digit first, no two underscores first (those are GraphQL's own). */
function graphqlName(wanted: string): string {
  const letters = wanted.replaceAll(/[^_0-9A-Za-z]/gu, '_');
  if (/^_*$/.test(letters)) return '_x';
  return (/^[0-9]/.test(letters) ? `_${letters}` : letters).replace(/^__+/, '_');
}
