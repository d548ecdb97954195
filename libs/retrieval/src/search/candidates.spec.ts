import { chooseCandidates, SAMPLE_RATE, type SampleGroup } from './candidates.js';

/** Whether a chunk with these terms meets the condition, as Postgres would see it. */
function meets(condition: string, mask: number): boolean {
  const source = condition
    .replaceAll(/t(\d+)/g, (_, term) => String(Boolean(mask & (1 << Number(term)))))
    .replaceAll('&', '&&')
    .replaceAll('|', '||');
  return Function(`return (${source})`)() as boolean;
}

/** Bit i of the mask: term i occurs. */
type Sampled = { mask: number; count: number };

const written = (terms: number, { mask, count }: Sampled): SampleGroup => ({
  mask: mask.toString(2).padStart(terms, '0').split('').toReversed().join(''),
  count,
});

const choose = (terms: number, chunks: number, sample: Sampled[]) => {
  const choice = chooseCandidates(
    Array.from({ length: terms }, () => ({ weight: 1 })),
    chunks,
    sample.map((group) => written(terms, group)),
  );
  return { ...choice, condition: choice.condition((term) => `t${term}`) };
};

describe('chooseCandidates', () => {
  it('takes all matches while they are few', () => {
    const { condition, alone } = choose(2, 50_000, [
      { mask: 1, count: 10 },
      { mask: 2, count: 20 },
    ]);
    expect([1, 2, 3].map((mask) => meets(condition, mask))).toEqual([true, true, true]);
    expect(alone.size).toBe(2);
  });

  it('asks for both of two common words', () => {
    const { condition, found, alone } = choose(2, 50_000, [
      { mask: 1, count: 150 },
      { mask: 2, count: 150 },
      { mask: 3, count: 60 },
    ]);
    expect([1, 2, 3].map((mask) => meets(condition, mask))).toEqual([false, false, true]);
    expect(found).toEqual([210 * SAMPLE_RATE, 210 * SAMPLE_RATE]);
    expect(alone.size).toBe(0);
  });

  it('never misses a chunk with a rare word for one with common words', () => {
    const { condition } = choose(3, 50_000, [
      { mask: 1, count: 1 },
      { mask: 2, count: 300 },
      { mask: 4, count: 300 },
      { mask: 6, count: 20 },
    ]);
    expect(meets(condition, 1)).toBe(true);
    expect(meets(condition, 2)).toBe(false);
    expect(meets(condition, 6)).toBe(true);
  });

  it('keeps the condition short for long questions, and keeps to its threshold', () => {
    const sample = Array.from({ length: 400 }, (_, at) => ({ mask: (at * 2_654_435_761) % (1 << 20), count: 1 }));
    const { condition } = choose(20, 400 * SAMPLE_RATE, sample);
    expect(condition.length).toBeLessThan(4000);
    const share = sample.filter(({ mask }) => meets(condition, mask)).length / sample.length;
    expect(share * 400 * SAMPLE_RATE).toBeGreaterThan(400);
    expect(share * 400 * SAMPLE_RATE).toBeLessThan(6000);
  });
});
