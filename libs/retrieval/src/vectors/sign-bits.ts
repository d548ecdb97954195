const [ZERO, ONE] = [48, 49];

/** The literal of a bit string, one bit per component. */
function bitString(vector: Float32Array, isSet: (component: number) => boolean): string {
  const digits = Buffer.allocUnsafe(vector.length);
  for (let at = 0; at < vector.length; at++) digits[at] = isSet(vector[at]!) ? ONE : ZERO;
  return digits.toString('latin1');
}

/** 1 where the component is positive. Hamming distance then estimates the angle. */
export function signBits(vector: Float32Array): string {
  return bitString(vector, (component) => component > 0);
}

/** Of normally distributed components a third is larger: with signs, the two bits that lose least (Lloyd and Max). */
const LARGE = 0.98;

/** 1 where the component of a vector of unit length is large, whatever its sign. */
export function magnitudeBits(vector: Float32Array): string {
  const least = LARGE / Math.sqrt(vector.length);
  return bitString(vector, (component) => Math.abs(component) >= least);
}

/**
 * What each component of a question weighs, 0 to 3, as two bit strings: the ones and the twos of these numbers. The
 * question's components are known, so a sign that differs in a large one says more of the angle.
 */
export function componentWeights(vector: Float32Array): [ones: string, twos: string] {
  const strengths = vector.map(Math.abs).sort();
  const largest = strengths[Math.floor(strengths.length * 0.97)] || 1;
  const weight = (component: number) => Math.min(3, Math.round((Math.abs(component) / largest) * 3.3));
  return [
    bitString(vector, (component) => weight(component) % 2 === 1),
    bitString(vector, (component) => weight(component) >= 2),
  ];
}
