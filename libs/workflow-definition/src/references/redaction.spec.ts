import { JsonText } from '../values/json-text.js';
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

  const sharp = `p&ss<w0rd>"x y'é/+\\n1`;
  const soap = sharp.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

  it.each([
    ['as a text of XML', soap],
    ['as an attribute', soap.replaceAll('"', '&quot;')],
    ['as Python escapes HTML', soap.replaceAll('"', '&quot;').replaceAll("'", '&#x27;')],
    ['by numbers', sharp.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)],
    ['in a cell of CSV', `"${sharp.replaceAll('"', '""')}"`],
    ['as PHP writes JSON', JSON.stringify(sharp).replaceAll('/', '\\/')],
    ['in JSON of ASCII alone', JSON.stringify(sharp).replaceAll('é', '\\u00e9')],
    ['in JSON that quotes JSON', JSON.stringify(JSON.stringify(sharp))],
    ['in the path of an address', new URL(`https://x.example/${sharp}`).href],
    ['in the query of an address', new URL(`https://x.example/?key=${sharp}&a=b`).href],
    ['as the password of an address', Object.assign(new URL('https://joe@x.example'), { password: sharp }).href],
  ])('takes it out %s', (_, text) => {
    const shown = new Redaction([sharp]).ofText(`before ${text} after`);
    expect(shown).toContain('***');
    expect(shown).not.toMatch(/w0rd|%C3%A9|00e9/);
    expect(new Redaction([sharp]).ofValue(new JsonText(JSON.stringify({ text }))).text).not.toContain('w0rd');
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
