import { InvalidRequestError } from '@app/common';
import type { AnswerStream, LanguageModel, ModelMessage, ModelRequest, StepEnd } from '@app/integrations';
import * as fc from 'fast-check';
import { estimateMessagesTokens, estimatePromptTokens, estimateTokens } from '../calls/token-estimate.js';
import { answerWithin } from './answer-within.js';
import { ConversationModel } from './conversation-model.js';
import { CUT_NOTE, FILTERED_NOTE } from './early-ends.js';
import { latestHistory } from './fit-history.js';
import { fitQuestion, leftOutNotice } from './fit-question.js';

const words = (count: number, word = 'word') => `${word} `.repeat(count).trim();
const exchange = (question: string, answer: string): ModelMessage[] => [
  { role: 'user', content: question },
  { role: 'assistant', content: answer },
];
const text = fc.oneof(
  fc.string({ maxLength: 400 }),
  fc.integer({ min: 0, max: 600 }).map((count) => words(count)),
  fc.integer({ min: 0, max: 300 }).map((count) => words(count, 'ضمان المضخة')),
  fc.integer({ min: 0, max: 900 }).map((count) => '水泵😀'.repeat(count)),
);

/** An endpoint that takes `takes` tokens of a prompt, whatever its setting says. */
function endpoint(contextWindow: number | null, takes = Infinity) {
  const asked: ModelRequest[] = [];
  const meet = (request: ModelRequest) => {
    asked.push(request);
    if (estimatePromptTokens(request) > takes)
      throw new InvalidRequestError('This is more than the model can read at once.', { code: 'context_too_long' });
  };
  const model = {
    available: true,
    descriptor: { contextWindow, maxOutputTokens: null },
    takes: () => Infinity,
    streamAnswer(request: ModelRequest): AnswerStream {
      async function* pieces() {
        meet(request);
        yield 'Fine.';
      }
      return { [Symbol.asyncIterator]: () => pieces(), usage: () => null };
    },
    generate(request: ModelRequest) {
      return Promise.resolve().then(() => (meet(request), { text: 'Fine.', model: 'm' }));
    },
  };
  return { asked, model: model as unknown as LanguageModel };
}

const notice = (question: string) => leftOutNotice(question, fitQuestion(question, 600));
const build = () => ({ request: { messages: exchange('Q', 'A') }, notice: 'Never told.' });

async function read(stream: AsyncIterable<string>): Promise<string> {
  let told = '';
  for await (const piece of stream) told += piece;
  return told;
}

describe('the end of a conversation', () => {
  it('never takes more than it may, begins with a question, and keeps the newest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { maxLength: 8 }),
        fc.integer({ min: 0, max: 4_000 }),
        (said, most) => {
          const history = said.flatMap(([question, answer]) => exchange(question, answer));
          const kept = latestHistory(history, most);
          expect(estimateMessagesTokens(kept)).toBeLessThanOrEqual(most);
          expect(kept.map(({ role }) => role)).toEqual(history.slice(0, kept.length).map(({ role }) => role));
          if (estimateMessagesTokens(history) <= most) expect(kept).toEqual(history);
        },
      ),
      { numRuns: 150, seed: 12 },
    );
  });

  it('shows of an exchange that is too long its beginning and its end', () => {
    const long = exchange(`Compare Orion and Vega. ${words(3_000)} By price.`, 'Orion is cheaper.');
    const [question, answer] = latestHistory([...exchange('Old?', 'Old.'), ...long], 400);
    expect(question).toMatchObject({
      content: expect.stringMatching(/^Compare Orion and Vega\..*By price\.$/s) as string,
    });
    expect(answer).toMatchObject({ content: 'Orion is cheaper.' });
  });
});

describe('the newest question', () => {
  it('is whole where it fits, else within what it may take and told so, else refused with what it may be', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 800 }), (question, most) => {
        const size = estimateTokens(question);
        let fitted;
        try {
          fitted = fitQuestion(question, most);
        } catch (error) {
          expect(error).toMatchObject({ code: 'context_too_long' });
          expect((error as Error).message).toContain(`it has ${question.length.toLocaleString('en')} characters`);
          expect(size).toBeGreaterThan(most);
          return;
        }
        expect(fitted.leftOut === 0).toBe(fitted.text === question);
        expect(estimateTokens(fitted.text)).toBeLessThanOrEqual(most);
        expect(leftOutNotice(question, fitted) === '').toBe(fitted.leftOut === 0);
        expect(fitted.text.isWellFormed() || !question.isWellFormed()).toBe(true);
      }),
      { numRuns: 300, seed: 12 },
    );
  });

  it('says in the language of the question how much of it was read', () => {
    expect(notice(words(1_000))).toMatch(/^_Your message is longer .* of its 4,999 characters .* about [\d,]+\._\n\n$/);
    expect(notice(words(500, 'ضمان المضخة'))).toContain('الرسالة أطول');
  });
});

describe('an answer within a window', () => {
  it('is asked for again with less where the endpoint takes less than was thought', async () => {
    const { asked, model } = endpoint(null, 2_000);
    const stream = answerWithin(model, (tokens) => ({
      request: { messages: [{ role: 'user', content: words(Math.min(9_000, tokens)) }] },
      notice: 'In part. ',
    }));
    expect(await read(stream)).toBe('In part. Fine.');
    expect(asked.length).toBeGreaterThan(1);
  });

  it('fails where even little is refused, and with what has nothing to do with it at once', async () => {
    const { asked, model } = endpoint(1_000, 0);
    await expect(read(answerWithin(model, build))).rejects.toMatchObject({ code: 'context_too_long' });
    expect(asked.length).toBeLessThan(8);
    const other = endpoint(1_000);
    const broken = {
      ...other.model,
      takes: () => Infinity,
      streamAnswer: () => {
        throw new Error('Broken.');
      },
    } as unknown as LanguageModel;
    await expect(read(answerWithin(broken, build))).rejects.toThrow('Broken.');
  });
});

/** @param pieces what the model says before it ends for `reason` */
const ending = (pieces: string[], reason: StepEnd['reason'] | null, completionTokens = 3) =>
  ({
    available: true,
    descriptor: { contextWindow: 4_000, maxOutputTokens: 500 },
    takes: () => Infinity,
    streamAnswer: (): AnswerStream => ({
      async *[Symbol.asyncIterator]() {
        yield* pieces;
      },
      usage: () => ({ promptTokens: 9, completionTokens }),
      reason: () => reason,
    }),
  }) as unknown as LanguageModel;

const told = (...given: Parameters<typeof ending>) => read(answerWithin(ending(...given), build));

describe('an answer that ends early', () => {
  const none = { name: 'BadGatewayError', code: 'model_error', message: 'The model gave no answer.' };

  it('says so in its last line, where it is too long or its provider refuses to go on', async () => {
    const answer = 'Never told.Half of';
    expect(await told(['Half', ' of'], 'stop')).toBe(answer);
    expect(await told(['Half', ' of'], null)).toBe(answer);
    expect(await told(['Half', ' of'], 'length')).toBe(answer + CUT_NOTE);
    expect(await told(['Half', ' of'], 'stop', 500)).toBe(answer + CUT_NOTE);
    expect(await told(['Half', ' of'], 'content_filter')).toBe(answer + FILTERED_NOTE);
    expect(await told([], 'content_filter')).toBe(FILTERED_NOTE.trim());
  });

  it.each(['stop', 'length', 'tool_calls', 'other', null] as const)('is a failure where there is none (%s)', (reason) =>
    expect(told([], reason)).rejects.toMatchObject(none),
  );

  it('is a failure where it is blank, and keeps the blanks before a word', async () => {
    await expect(told([' ', ' \n'], 'stop')).rejects.toMatchObject(none);
    expect(await told([' \n'], 'content_filter')).toBe(FILTERED_NOTE.trim());
    expect(await told(['  ', '    ', 'code', '\n', 'more'], 'stop')).toBe('Never told.      code\nmore');
    expect(
      await read(answerWithin(ending([' ', 'on'], 'stop'), () => ({ ...build(), notice: '', goesOn: true }))),
    ).toBe(' on');
  });

  it('may have nothing to add to what was told already', async () => {
    expect(await read(answerWithin(ending([], 'stop'), () => ({ ...build(), goesOn: true })))).toBe('');
    const messages: ModelMessage[] = [{ role: 'user', content: 'Rows of: Which?' }];
    const behind = [...messages, ...exchange('', 'These.').slice(1), { role: 'user' as const, content: 'Go on.' }];
    const talk = new ConversationModel(ending([], 'stop'), 'Which?');
    expect(await read(talk.streamAnswer({ messages: behind }))).toBe('');
    await expect(read(talk.streamAnswer({ messages }))).rejects.toMatchObject(none);
    const earlier = [...exchange('Before?', 'Yes.'), ...messages];
    await expect(read(talk.streamAnswer({ messages: earlier }))).rejects.toMatchObject(none);
  });
});

describe('a model in a conversation', () => {
  it.each([
    ['its setting', 1_500, Infinity],
    ['its endpoint alone', null, 1_500],
  ])('never refuses the newest question for old ones, by %s', async (_, window, takes) => {
    const { asked, model } = endpoint(window, takes);
    const history: ModelMessage[] = [];
    for (let turn = 0; turn < 30; turn += 1) {
      const question = `Question ${turn}: ${words(300)}?`;
      const talk = new ConversationModel(model, question);
      const repairs = exchange('', 'SELECT 1').slice(1).concat({ role: 'user', content: 'That does not work.' });
      await talk.generate({ system: 'S', messages: [...history, { role: 'user', content: question }, ...repairs] });
      expect(await read(talk.streamAnswer({ messages: [...history, { role: 'user', content: question }] }))).toBe(
        'Fine.',
      );
      expect(talk.notice).toBe('');
      expect(asked.at(-1)!.messages.at(-1)).toEqual({ role: 'user', content: question });
      history.push(...exchange(question, words(200)));
    }
    expect(asked.at(-1)!.messages.length).toBeGreaterThan(1);
  });

  it('sends a question that is too long in part, within what stands around it', async () => {
    const { asked, model } = endpoint(2_000);
    const question = `What is this? ${words(3_000)} In one word.`;
    const talk = new ConversationModel(model, question);
    await talk.generate({ system: 'S', messages: [{ role: 'user', content: `Before: ${question} After.` }] });
    expect(estimatePromptTokens(asked[0]!)).toBeLessThan(1_500);
    expect(asked[0]!.messages[0]).toMatchObject({
      content: expect.stringMatching(/^Before: What is this\?.*left out.*In one word\. After\.$/s) as string,
    });
    expect(talk.notice).toContain('only the beginning and the end');
    const book = words(20_000);
    const pasted = { messages: [{ role: 'user' as const, content: book }] };
    await expect(new ConversationModel(model, book).generate(pasted)).rejects.toThrow(
      /characters, and about [\d,]+ fit/,
    );
  });
});
