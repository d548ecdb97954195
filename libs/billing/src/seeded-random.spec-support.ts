/** Numbers that look random, the same ones for a seed (mulberry32). */
export function seedOf(seed: number): { below: (limit: number) => number } {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  // Two draws: limits go beyond 32 bits.
  return { below: (limit) => Math.floor(((next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53) * limit) };
}
