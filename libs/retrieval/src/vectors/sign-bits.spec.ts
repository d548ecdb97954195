import { signBits, strengthMasks } from './sign-bits.js';

const vector = Float32Array.from([0.1, -0.2, 0.3, -0.4, 0.5, -0.6]);

describe('signBits', () => {
  it('is 1 where a component is positive', () => expect(signBits(vector)).toBe('101010'));
});

describe('strengthMasks', () => {
  it('marks the stronger two thirds and the strongest third', () =>
    expect(strengthMasks(vector)).toEqual(['001111', '000011']));
});
