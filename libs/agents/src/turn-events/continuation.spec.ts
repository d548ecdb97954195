import { continueText, Continuation, continuationMessages } from './continuation.js';

async function* inPieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function whole(told: string, answer: string, size = 3): Promise<string> {
  let text = told;
  for await (const piece of continueText(told, inPieces(answer, size))) text += piece;
  return text;
}

const ANSWER =
  'The warranty of the Orion pump lasts 36 months [1]. It covers seals and bearings [1], but not the filter [2].\n\n' +
  'Replace the filter every 500 hours. عند الحاجة يرجى الاتصال بالورشة.';

describe('continueText', () => {
  it('gives everything where nothing was told', async () => {
    expect(await whole('', ANSWER)).toBe(ANSWER);
  });

  it.each([1, 3, 7, 1000])('skips an answer that begins anew, cut at every place, in pieces of %d', async (size) => {
    for (let cut = 1; cut < ANSWER.length; cut++)
      expect([cut, await whole(ANSWER.slice(0, cut), ANSWER, size)]).toEqual([cut, ANSWER]);
  });

  it('takes over from some repeated words, cut at every place', async () => {
    for (let cut = 30; cut < ANSWER.length; cut++) {
      const told = ANSWER.slice(0, cut);
      const from = told.trimEnd().lastIndexOf(' ', told.trimEnd().length - 18) + 1;
      expect([cut, await whole(told, ANSWER.slice(from))]).toEqual([cut, ANSWER]);
    }
  });

  it.each([
    ['It lasts 36', ' months.', 'It lasts 36 months.'],
    ['It lasts 36', 'months.', 'It lasts 36 months.'],
    ['It lasts 36 ', ' months.', 'It lasts 36 months.'],
    ['It lasts 36 months', '.', 'It lasts 36 months.'],
    ['of the', 'the pump', 'of the pump'],
    ['I ate a', 'apple', 'I ate a apple'],
    ['今天天气', '很好', '今天天气很好'],
    ['The pump is red. It weighs', 'red.', 'The pump is red. It weighs red.'],
    ['One.', 'Two.', 'One.Two.'],
  ])('goes on after %j with %j', async (told, next, expected) => {
    expect(await whole(told, next)).toBe(expected);
  });

  it('adds nothing when the new answer ends before, or with, what was told', async () => {
    expect(await whole('It lasts 36 months.', 'It lasts 36 months.')).toBe('It lasts 36 months.');
    expect(await whole('It lasts 36 months.', 'It lasts')).toBe('It lasts 36 months.');
    expect(await whole('It lasts 36 months.', '')).toBe('It lasts 36 months.');
  });

  it('finds its place in an answer that begins alike and goes on in other words', async () => {
    const told = 'The warranty of the Orion pump lasts 36 months. It covers seals and bearings of';
    const anew =
      'The warranty of the Orion pump lasts 36 months, and it covers seals and bearings of each pump. The end.';
    expect(await whole(told, anew)).toBe(`${told} each pump. The end.`);
    const other = `The warranty of the Orion pump lasts three years from delivery on, as the manual has it. ${'It is long. '.repeat(8)}`;
    const text = await whole(told, other);
    expect(text.startsWith(`${told}… It is long.`)).toBe(true);
  });

  it('holds nothing back once the place is found', () => {
    const continuation = new Continuation('One two three');
    expect(continuation.push('two three four')).toBe(' four');
    expect(continuation.push(' two three')).toBe(' two three');
    expect(continuation.end()).toBe('');
  });
});

it('shows a model the words where it was cut off', () => {
  const [told, asked] = continuationMessages('a b c d e f g h i j k l m n ');
  expect(told).toEqual({ role: 'assistant', content: 'a b c d e f g h i j k l m n ' });
  expect(asked).toMatchObject({
    role: 'user',
    content: expect.stringContaining('"c d e f g h i j k l m n"') as string,
  });
});
