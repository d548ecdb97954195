import { toJsonText } from './json-text.js';

describe('toJsonText', () => {
  it('replaces what jsonb refuses and nothing else', () => {
    expect(JSON.parse(toJsonText({ a: 'x\0y', b: '\ud800!', c: '😀' }))).toEqual({
      a: 'x\ufffdy',
      b: '\ufffd!',
      c: '😀',
    });
    expect(JSON.parse(toJsonText(['\\u0000', '\\\0', '\0\0']))).toEqual(['\\u0000', '\\\ufffd', '\ufffd\ufffd']);
  });

  it('makes null of what JSON does not know', () => {
    expect(toJsonText(undefined)).toBe('null');
  });
});
