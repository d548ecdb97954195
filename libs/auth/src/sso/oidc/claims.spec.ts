import { readClaims } from './claims.js';

const given = { iss: 'https://idp.example', sub: '1' };

describe('claims of an ID token', () => {
  it('give whom the provider vouches for', () => {
    expect(
      readClaims({
        ...given,
        email: ' ada@acme.example ',
        email_verified: true,
        given_name: 'Ada',
        family_name: 'Love',
      }),
    ).toEqual({
      issuer: 'https://idp.example',
      subject: '1',
      email: 'ada@acme.example',
      emailVerified: true,
      firstName: 'Ada',
      lastName: 'Love',
    });
  });

  it.each([
    [{ email_verified: 'true' }, true],
    [{ email_verified: 'false' }, false],
    [{ email_verified: {} }, false],
    [{}, false],
    [{ xms_edov: true }, true],
    [{ xms_edov: '1' }, true],
    [{ xms_edov: false }, false],
  ])('say by %j whether the address is verified', (claims, verified) => {
    expect(readClaims({ ...given, email: 'ada@acme.example', ...claims }).emailVerified).toBe(verified);
  });

  it('may lack an address, or hold the name of an account in its place', () => {
    const none = { email: '', emailVerified: false };
    expect(readClaims({ ...given, email: null })).toMatchObject(none);
    expect(readClaims({ ...given, email: 'ada#EXT#', email_verified: true })).toMatchObject(none);
  });

  it('tell first and last name by the whole name where they lack them', () => {
    expect(readClaims({ ...given, name: 'Ada King Love' })).toMatchObject({ firstName: 'Ada', lastName: 'King Love' });
    expect(readClaims({ ...given, name: 'x'.repeat(400) }).firstName).toHaveLength(150);
    expect(readClaims({ ...given, given_name: 'Ada\u202e\nLove' }).firstName).toBe('Ada Love');
    // No character is cut in two.
    expect(readClaims({ ...given, given_name: `x${'😀'.repeat(100)}` }).firstName).toBe(`x${'😀'.repeat(74)}`);
  });
});
