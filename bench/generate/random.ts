/** A seeded source of choices; the same seed gives the same choices on every machine and Node version. */
export interface Random {
  readonly float: () => number;
  readonly int: (low: number, high: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly sample: <T>(items: readonly T[], count: number) => T[];
}

/** Weyl sequence with an integer finaliser: 32-bit state, no dependence on `Math.random`. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const float = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return ((x ^ (x >>> 15)) >>> 0) / 4294967296;
  };
  const int = (low: number, high: number): number => low + Math.floor(float() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[int(0, items.length - 1)]!;
  };
  const sample = <T>(items: readonly T[], count: number): T[] => {
    const rest = [...items];
    const taken: T[] = [];
    while (taken.length < count && rest.length > 0) taken.push(rest.splice(int(0, rest.length - 1), 1)[0]!);
    return taken;
  };
  return { float, int, chance: (probability) => float() < probability, pick, sample };
}
