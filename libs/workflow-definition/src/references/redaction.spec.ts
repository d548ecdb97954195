import { Redaction } from './redaction.js';

const secret = 'p@ss w/ö"rd+\n!(end)';

describe('Redaction', () => {
  const redaction = new Redaction([secret, '4711123']);

  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ secret })],
    ['in JSON within JSON', JSON.stringify({ inner: secret })],
    ['percent-encoded', `https://x.example/?key=${encodeURIComponent(secret)}&a=b`],
    ['percent-encoded in lower case', encodeURIComponent(secret).toLowerCase()],
    ['in a form', new URLSearchParams({ secret }).toString()],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in hexadecimal digits', Buffer.from(secret).toString('hex')],
    ...['a', 'ab', 'abc', 'user:'].map((before): [string, string] => [
      `in Basic credentials after ${before}`,
      Buffer.from(`${before}${secret}tail`).toString('base64'),
    ]),
    ['in base64url', Buffer.from(`x${secret}`).toString('base64url')],
  ])('takes it out %s', (_, text) => {
    const shown = redaction.ofText(`before ${text} after`);
    expect(shown).toContain('***');
    expect(shown).toMatch(/^before .* after$/s);
    for (const piece of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(4, -4)])
      expect(shown).not.toContain(piece);
  });

  it('walks values, keys and numbers, and shares what it need not touch', () => {
    const clean = { list: [1, 'two', { three: null }] };
    expect(redaction.ofValue(clean)).toBe(clean);
    const dirty = { clean, [secret]: 1, deep: [{ at: `x${secret}` }], number: 4711123 };
    expect(redaction.ofValue(dirty)).toEqual({ clean, '***': 1, deep: [{ at: 'x***' }], number: '***' });
    expect(redaction.ofValue(dirty).clean).toBe(clean);
  });

  it('cleans what a waiting node leaves behind', () => {
    const wait = { reason: 'input' as const, until: 5, data: { question: `Is it ${secret}?` } };
    expect(redaction.ofWait(wait)).toEqual({ reason: 'input', until: 5, data: { question: 'Is it ***?' } });
  });

  it('takes the longer of two secrets that share a beginning', () => {
    expect(new Redaction(['abcdef', 'abcdefgh']).ofText('abcdefgh abcdef')).toBe('*** ***');
    expect(new Redaction([]).ofText('nothing')).toBe('nothing');
  });
});
