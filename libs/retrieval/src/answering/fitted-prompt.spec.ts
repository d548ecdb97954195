import type { LanguageModel, ModelMessage } from '@app/integrations';
import { estimatePromptTokens } from '@app/models';
import * as fc from 'fast-check';
import type { SearchHit } from '../search/search-hit.js';
import { fitPrompt } from './fitted-prompt.js';

const model = { contextWindow: null, maxOutputTokens: null } as LanguageModel['descriptor'];
const words = (count: number) => 'word '.repeat(count).trim();
const passage = (number: number, length: number) => ({
  number,
  hit: { uid: `u${number}`, filename: 'a.pdf', page: 1, context: '', text: `P${number} ${words(length)}` } as SearchHit,
});
const exchange = (length: number): ModelMessage[] => [
  { role: 'user', content: `Q ${words(length)}` },
  { role: 'assistant', content: `A ${words(length)}` },
];
const asked = (question: string, passages = 6, history: ModelMessage[] = []) => ({
  question,
  passages: Array.from({ length: passages }, (_, at) => passage(at + 1, 300)),
  choice: { quotes: [], unknown: [], unanswered: [] },
  history,
  followUp: [],
  language: null,
});
const textOf = ({ messages }: { messages: ModelMessage[] }) => JSON.stringify(messages.at(-1));

describe('the prompt of a document chat', () => {
  it('fits every window of use, whatever was said, and holds the question and a passage', () => {
    const length = fc.integer({ min: 1, max: 900 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1_200, max: 20_000 }),
        length,
        fc.array(length, { maxLength: 6 }),
        (window, long, said) => {
          const history = said.flatMap(exchange);
          const { system, messages, passages, notice } = fitPrompt(
            asked(`Which? ${words(long)} End?`, 6, history),
            model,
            window,
          );
          expect(estimatePromptTokens({ system, messages })).toBeLessThanOrEqual(window * 0.75);
          expect(passages.length).toBeGreaterThan(0);
          expect(textOf({ messages })).toMatch(/Which\?.*End\?/s);
          expect(textOf({ messages })).toContain('P1 word');
          expect(notice === '').toBe(textOf({ messages }).includes(words(long)));
        },
      ),
      { numRuns: 150, seed: 12 },
    );
  });

  it('leaves out the last passages, then the oldest of the history', () => {
    const history = Array.from({ length: 6 }, () => exchange(150)).flat();
    const roomy = fitPrompt(asked('Which?', 6, history), model, 32_000);
    expect([roomy.passages.length, roomy.messages.length]).toEqual([6, 13]);
    const narrow = fitPrompt(asked('Which?', 6, history), model, 3_000);
    expect(narrow.passages.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(narrow.messages.length).toBeGreaterThan(1);
    expect(narrow.messages.length).toBeLessThan(13);
  });

  it('does not say again what was told of the question where an answer goes on', () => {
    const long = asked(`Which? ${words(3_000)}`);
    expect(fitPrompt(long, model, 4_000).notice).not.toBe('');
    const followUp = exchange(3).toReversed();
    expect(fitPrompt({ ...long, followUp }, model, 4_000).notice).toBe('');
  });

  it('refuses a text of which next to nothing would be read, with the length that it may have', () => {
    expect(() => fitPrompt(asked(words(50_000)), model, 4_000)).toThrow(/about [\d,]+ fit/);
  });
});
