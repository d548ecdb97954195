import { ThinkSplitter } from './think-splitter.js';

function split(pieces: readonly string[], isOpened = false): { text: string; reasoning: string } {
  const splitter = new ThinkSplitter(isOpened);
  const parts = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
  const of = (type: string) => parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');
  return { text: of('text'), reasoning: of('reasoning') };
}

function isUnopened(text: string, isOpened: boolean): boolean | null {
  const splitter = new ThinkSplitter(isOpened);
  splitter.push(text);
  splitter.end();
  return splitter.isUnopened;
}

describe('thoughts within the text', () => {
  it.each([
    ['<think>Well.</think>\n\nYes.', { text: 'Yes.', reasoning: 'Well.' }],
    ['\n<thinking>a </think> b</thinking>Yes.', { text: 'Yes.', reasoning: 'a </think> b' }],
    ['<think></think>Yes.', { text: 'Yes.', reasoning: '' }],
    ['<think>It never ends', { text: '', reasoning: 'It never ends' }],
    ['<think>a</thi', { text: '', reasoning: 'a</thi' }],
    ['Write <think> before it.', { text: 'Write <think> before it.', reasoning: '' }],
    ['<thin air', { text: '<thin air', reasoning: '' }],
    ['<th', { text: '<th', reasoning: '' }],
    ['  two\n', { text: '  two\n', reasoning: '' }],
    ['I wonder.\n</think>\n\nYes.', { text: 'I wonder.\n\nYes.', reasoning: '' }],
    ['I `wonder`.</think>Yes. </think>', { text: 'I `wonder`.\n\nYes. </think>', reasoning: '' }],
    ['\n</thinking>\n\nYes.', { text: 'Yes.', reasoning: '' }],
    ['It ends with `</think>`.', { text: 'It ends with `</think>`.', reasoning: '' }],
    ['```\n</think>\n```', { text: '```\n</think>\n```', reasoning: '' }],
    ['Tags: <think>, </think>.', { text: 'Tags: <think>, </think>.', reasoning: '' }],
    ['a < b </thin', { text: 'a < b </thin', reasoning: '' }],
  ])('%j, however it is cut', (whole, expected) => {
    for (const pieces of cuts(whole)) expect(split(pieces)).toEqual(expected);
  });

  it.each([
    ['I wonder: `a`.\n</think>\n\nYes.', { text: 'Yes.', reasoning: 'I wonder: `a`.\n' }],
    ['a</thinking>b', { text: 'b', reasoning: 'a' }],
    ['<think>a</think>b', { text: 'b', reasoning: 'a' }],
    [' a < b\n', { text: ' a < b\n', reasoning: '' }],
    ['Write <think> and </think>.', { text: 'Write <think> and </think>.', reasoning: '' }],
    ['a</thi', { text: 'a</thi', reasoning: '' }],
  ])('%j wait for their end where the prompt may have opened them', (whole, expected) => {
    for (const pieces of cuts(whole)) expect(split(pieces, true)).toEqual(expected);
  });

  it('tell whether the prompt had opened them', () => {
    expect([
      isUnopened('a</think>b', false),
      isUnopened('a</think>b', true),
      isUnopened('b', true),
      isUnopened('b', false),
    ]).toEqual([true, true, false, null]);
    expect([
      isUnopened('<think>a</think>b', true),
      isUnopened('</think>b', false),
      isUnopened('`</think>`', false),
    ]).toEqual([null, null, null]);
  });
});

/** The whole at once, by characters, and in two. */
function cuts(whole: string): string[][] {
  const halves = Array.from({ length: whole.length - 1 }, (_, at) => [whole.slice(0, at + 1), whole.slice(at + 1)]);
  return [[whole], [...whole], ...halves];
}
