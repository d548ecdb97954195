import { derivedId, isUuid, newId } from './ids.js';

describe('ids', () => {
  it('derives the UUID of RFC 9562, appendix A.4', () => {
    expect(derivedId('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  });

  it('recognises UUIDs and nothing else', () => {
    expect(isUuid(newId())).toBe(true);
    expect(isUuid(`${newId()}0`)).toBe(false);
    expect(isUuid(12)).toBe(false);
  });
});
