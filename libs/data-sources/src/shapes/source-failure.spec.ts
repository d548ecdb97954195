import { quoted } from './source-failure.js';

describe('what a database says', () => {
  it('is cut between two characters, and tells neither the secret nor from where we called', () => {
    const said = quoted(`${'x'.repeat(299)}😀 and more`, '');
    expect(said).toBe(`${'x'.repeat(299)}…`);
    expect(quoted("no secret-1 for 'reader'@'10.0.0.7'\n at all", 'secret-1')).toBe('no *** for this user at all');
  });
});
