import { otherWords } from './other-words.js';

describe('otherWords', () => {
  it('says other words for the same thing, and what a compound is about', () => {
    expect(otherWords('Wie oft muss gestrichen werden?').split(' ')).toContain('streicht');
    expect(otherWords('Wann sind die Besuchszeiten?').split(' ')).toContain('besuch');
  });

  it('looks for no other name', () => {
    expect(otherWords('Kestrel?')).toBe('');
    expect(otherWords('???')).toBe('');
  });

  it('is short, however long the question is', () => {
    expect(otherWords('Urlaub Gehalt Kosten Miete Telefon Beginn Ende '.repeat(500)).split(' ').length).toBeLessThan(
      30,
    );
  });
});
