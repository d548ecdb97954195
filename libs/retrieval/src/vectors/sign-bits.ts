/** The literal of a bit string: 1 where the component is positive. Hamming distance then estimates the angle. */
export function signBits(vector: Float32Array): string {
  let bits = '';
  for (const value of vector) bits += value > 0 ? '1' : '0';
  return bits;
}

/**
 * The literals of two bit strings: 1 where the component is among the stronger two thirds, and among the strongest third.
 * A sign that differs there says more of the angle; a vector that is only known by its signs is weighed so by the one
 * whose components are known.
 */
export function strengthMasks(vector: Float32Array): [strong: string, strongest: string] {
  const strengths = vector.map(Math.abs).sort();
  const mask = (share: number) => {
    const least = strengths[Math.floor(strengths.length * share)] ?? 0;
    return Array.from(vector, (value) => (Math.abs(value) >= least ? '1' : '0')).join('');
  };
  return [mask(1 / 3), mask(2 / 3)];
}
