import { oneLetterOff } from './edits.js';

describe('oneLetterOff', () => {
  it.each([
    ['rahtaus', 'rathaus'],
    ['tennant', 'tenant'],
    ['presure', 'pressure'],
    ['okapy', 'okapi'],
    ['договар', 'договор'],
    ['عقدد', 'عقد'],
  ])('knows that %s may be %s', (typed, meant) => {
    expect(oneLetterOff(typed)).toContain(meant);
  });

  it('stays small, and leaves the word itself out', () => {
    expect(oneLetterOff('a'.repeat(32)).length).toBeLessThan(2000);
    expect(oneLetterOff('pump')).not.toContain('pump');
    expect(oneLetterOff('東京都')).toEqual([]);
  });
});
