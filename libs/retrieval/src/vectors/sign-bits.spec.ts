import { componentWeights, magnitudeBits, signBits } from './sign-bits.js';

const vector = Float32Array.from([0.1, -0.2, 0.3, -0.4, 0.5, -0.67]);

describe('signBits', () => {
  it('is 1 where a component is positive', () => expect(signBits(vector)).toBe('101010'));
});

describe('magnitudeBits', () => {
  it('is 1 where a component is large, whatever its sign', () => expect(magnitudeBits(vector)).toBe('000011'));
});

describe('componentWeights', () => {
  it('weighs components by their size, up to 3', () => {
    // 0.49 rounds to 0, then 1, 1, 2, 2, 3.
    expect(componentWeights(vector)).toEqual(['011001', '000111']);
  });
  it('has none for a vector of nothing', () => expect(componentWeights(new Float32Array(2))).toEqual(['00', '00']));
});
