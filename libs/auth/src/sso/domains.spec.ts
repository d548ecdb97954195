import { isPublicMailDomain, organizationNameOf, parseDomain } from './domains.js';

describe('domains', () => {
  it.each([
    ['acme.example', 'acme.example'],
    ['Ada@ACME.example', 'acme.example'],
    [' acme.example. ', 'acme.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['acme.co.uk', 'acme.co.uk'],
  ])('reads %s', (text, domain) => expect(parseDomain(text)).toBe(domain));

  it.each(['', 'acme', '127.0.0.1', '0x7f.1', '-acme.example', 'a b.example', 'a/b.example', '[::1]', '..'])(
    'refuses %s',
    (text) => expect(parseDomain(text)).toBeNull(),
  );

  it('knows where everybody has an address', () => {
    expect(isPublicMailDomain('gmail.com')).toBe(true);
    expect(isPublicMailDomain('acme.example')).toBe(false);
  });

  it.each([
    ['blue-hill.example', 'Blue Hill'],
    ['xn--mnchen-3ya.example', 'München'],
  ])('makes a name of the domain %s', (domain, name) => expect(organizationNameOf(domain)).toBe(name));
});
