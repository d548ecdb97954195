import { ThinkSplitter, withoutThoughts } from './think-splitter.js';

function split(pieces: readonly string[]): { text: string; reasoning: string } {
  const splitter = new ThinkSplitter();
  const parts = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
  const of = (type: string) => parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');
  return { text: of('text'), reasoning: of('reasoning') };
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
  ])('%j, however it is cut', (whole, expected) => {
    expect(split([whole])).toEqual(expected);
    expect(split([...whole])).toEqual(expected);
    for (let at = 1; at < whole.length; at += 1) expect(split([whole.slice(0, at), whole.slice(at)])).toEqual(expected);
  });

  it('are left out of whole texts, also where they were opened in the prompt', () => {
    expect(withoutThoughts('<think>a</think>b')).toBe('b');
    expect(withoutThoughts('I wonder.</think>\nb')).toBe('b');
    expect(withoutThoughts('a < b')).toBe('a < b');
  });
});
