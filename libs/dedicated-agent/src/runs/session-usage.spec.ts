import { share } from './session-usage.js';

const counts = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});

describe('what a run has used of a count of its whole conversation', () => {
  it('is what came to it, and runs add up to the count', () => {
    const first = share({}, counts(10, 5), true);
    expect(first.used).toEqual(counts(10, 5));
    const second = share(first.now, counts(30, 9), true);
    expect(second.used).toEqual(counts(20, 4));
    expect(share(second.now, counts(30, 9), true).used).toEqual(counts(0, 0));
  });

  it('is the whole of a lower count, where the gateway has begun anew', () => {
    expect(share(counts(100, 50), counts(7, 3), true)).toEqual({ used: counts(7, 3), now: counts(7, 3) });
  });

  it('is nothing of an older count, and never less than nothing, where another run had its share', () => {
    expect(share(counts(100, 50), counts(90, 60), false)).toEqual({
      used: { input_tokens: 0, output_tokens: 10, total_tokens: 0 },
      now: { input_tokens: 100, output_tokens: 60, total_tokens: 150 },
    });
  });
});
