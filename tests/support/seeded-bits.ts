/** mulberry32: 32 bits a call that look random and are the same for the same seed; small, fast, good enough to choose places. */
export function seededBits(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/** Numbers in [0, 1). */
export function seededNumbers(seed: number): () => number {
  const bits = seededBits(seed);
  return () => bits() / 2 ** 32;
}
