/** The literal of a bit string: 1 where the component is positive. Hamming distance then estimates the angle. */
export function signBits(vector: Float32Array): string {
  let bits = '';
  for (const value of vector) bits += value > 0 ? '1' : '0';
  return bits;
}
