import { holdsSecret, memoryKey, toMemoryText } from './memory-text.js';
import { rankMemories } from './rank-memories.js';

const memory = (kind: string, text: string, confidence = 1) => ({ kind, text, confidence });

describe('rankMemories', () => {
  const memories = [
    memory('fact', 'The user works in Amman.'),
    memory('project', 'The user prepares the Orion launch in March.'),
    memory('person', 'The user reports to Layla.'),
    memory('preference', 'The user likes short answers.'),
    memory('instruction', 'Answers shall name prices in dinars.'),
  ];

  it('finds those that are about the question, and those that always count', () => {
    expect(rankMemories('When is the launch of Orion?', memories)).toEqual([memories[1], memories[3], memories[4]]);
    expect(rankMemories('Who is Layla?', memories)[0]).toBe(memories[2]);
  });

  it('knows a word in another form, in Arabic as well', () => {
    const arabic = [memory('fact', 'يعمل المستخدم مديرا للمبيعات.'), memory('fact', 'The user has two dogs.')];
    expect(rankMemories('كم بلغت مبيعات الشهر؟', arabic)).toEqual([arabic[0]]);
    expect(rankMemories('What do dogs eat?', arabic)).toEqual([arabic[1]]);
  });

  it('names eight at most, and none for nothing', () => {
    const many = Array.from({ length: 30 }, (_, at) =>
      memory(at % 2 ? 'fact' : 'preference', `The user owns boat ${at}.`),
    );
    expect(rankMemories('Which boat?', many)).toHaveLength(8);
    expect(rankMemories('Which boat?', [])).toEqual([]);
  });
});

it.each([
  ['My password is hunter2', true],
  ['The API key = abc', true],
  ['كلمة المرور هي ١٢٣', true],
  ['sk-abcdefghijklmnop1234', true],
  ['Card 4111 1111 1111 1111', true],
  ['The user forgot a password once', false],
  ['The user was born in 1984', false],
  ['The office is in room 4111', false],
])('tells a secret from a memory: %s', (text, secret) => {
  expect(holdsSecret(text)).toBe(secret);
});

it('keeps one line, and knows the same again', () => {
  expect(toMemoryText(' a\0b \n c ')).toBe('ab c');
  expect(toMemoryText('x'.repeat(600))).toHaveLength(500);
  expect(memoryKey('The user likes TEA!')).toBe(memoryKey('the user likes tea'));
  expect(memoryKey('أحمد يعمل')).toBe(memoryKey('احمد يعمل.'));
  expect(memoryKey('…!')).toBe('');
});
