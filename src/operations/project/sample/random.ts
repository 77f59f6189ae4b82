/** A source of integers that gives the same sequence on every machine: no float rounding, no Math.random. */
export interface Random {
  /** A whole number in [0, bound); bound may be at most 2^21, so that the product below stays exact. */
  below(bound: number): number;
  /** True in `share` of 1,000 calls on average. */
  permille(share: number): boolean;
}

const BOUND_MAX = 2 ** 21;

/** Starts an independent sequence for one purpose; the same (seed, stream) always gives the same numbers. */
export function createRandom(seed: number, stream: number): Random {
  // xoshiro128**, its state filled by a 32-bit mixing counter so that near seeds do not give near sequences.
  let counter = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca77)) | 0;
  const mixed = (): number => {
    counter = (counter + 0x9e3779b9) | 0;
    let z = counter;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return z ^ (z >>> 16);
  };
  let a = mixed();
  let b = mixed();
  let c = mixed();
  let d = mixed() | 1;

  const next = (): number => {
    const scrambled = Math.imul(b, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result >>> 0;
  };
  const below = (bound: number): number => {
    if (!(bound >= 1 && bound <= BOUND_MAX)) throw new RangeError(`bound ${bound} is not in 1..${BOUND_MAX}`);
    return Math.floor((next() * bound) / 0x1_0000_0000);
  };
  return { below, permille: (share) => below(1000) < share };
}
