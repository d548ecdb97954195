import { parseChallenge } from './challenge.js';

const nothing = { error: null, scopes: null, resourceMetadata: null };

describe('the challenge of a server that refused a request', () => {
  it.each([
    [null, nothing],
    ['', nothing],
    ['Basic realm="x"', nothing],
    ['Bearer', nothing],
    ['Bearer error="invalid_token"', { ...nothing, error: 'invalid_token' }],
    ['bearer SCOPE="a b  a"', { ...nothing, scopes: ['a', 'b'] }],
    ['Bearer scope=""', { ...nothing, scopes: [] }],
    [
      'Bearer error="insufficient_scope", error_description="needs scope=\\"c\\"", scope="a b"',
      { ...nothing, error: 'insufficient_scope', scopes: ['a', 'b'] },
    ],
    [
      'Basic realm="x", Bearer resource_metadata="https://a.example/x", scope="a"',
      { ...nothing, scopes: ['a'], resourceMetadata: 'https://a.example/x' },
    ],
    ['Bearer realm="unterminated', nothing],
    [`Bearer scope="${'a '.repeat(8192)}"`, nothing],
    ['Bearer scope="a\u0000b"', nothing],
  ])('%j is read', async (header, expected) => {
    expect(await parseChallenge(header)).toEqual(expected);
  });
});
