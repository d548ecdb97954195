import { hasHiddenCharacters, isVisible, withoutHiddenCharacters } from './hidden-characters.js';

describe('hidden characters', () => {
  it.each([
    '\u0000',
    '\u0007',
    '\n',
    '\u0085',
    '\u00ad',
    '\u061c',
    '\u115f',
    '\u180e',
    '\u200b',
    '\u200e',
    '\u200f',
    '\u2028',
    '\u202a',
    '\u202e',
    '\u2060',
    '\u2066',
    '\u2069',
    '\u2800',
    '\u3164',
    '\ufeff',
    '\ufffb',
    '\uffff',
    '\ud800',
    '\u{e0041}',
  ])('%j is one', (character) => {
    expect(hasHiddenCharacters(`a${character}b`)).toBe(true);
    expect(withoutHiddenCharacters(`a${character}b`)).toBe('ab');
  });

  it.each(['Ünïcode 2024', 'می\u200cروم', '👩‍👩‍👧', '❤️', 'क्\u200dष', 'عقود', '契約', 'a\u00a0b', 'e\u0301'])(
    '%j has none',
    (text) => {
      expect(hasHiddenCharacters(text)).toBe(false);
      expect(withoutHiddenCharacters(text)).toBe(text);
      expect(isVisible(text)).toBe(true);
    },
  );

  it.each(['', ' ', '\u200d', '\u200c\u00a0', '\ufe0f'])('nothing of %j is seen', (text) => {
    expect(isVisible(text)).toBe(false);
  });
});
