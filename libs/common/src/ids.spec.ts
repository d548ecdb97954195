import { derivedId, isUuid, newId, newTimeOrderedId } from './ids.js';

describe('ids', () => {
  it('derives the UUID of RFC 9562, appendix A.4', () => {
    expect(derivedId('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  });

  it('come in the order of their time, within a millisecond too, where they are to', () => {
    const ids = Array.from({ length: 5000 }, newTimeOrderedId);
    expect(ids.every(isUuid)).toBe(true);
    expect(ids.every((id) => id[14] === '7')).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Math.abs(Number.parseInt(ids[0]!.replace('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
  });

  it('recognises UUIDs and nothing else', () => {
    expect(isUuid(newId())).toBe(true);
    expect(isUuid(`${newId()}0`)).toBe(false);
    expect(isUuid(12)).toBe(false);
  });
});
