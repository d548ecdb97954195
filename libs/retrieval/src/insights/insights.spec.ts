import { joinPassages } from '../chunk-index/document-text.js';
import { partsOf } from './insight-writer.js';

describe('the text of a document', () => {
  it('is put together from passages that overlap, pages apart', () => {
    const passages = [
      { page: 1, start: 0, end: 11, text: 'One. Two. T' },
      { page: 1, start: 5, end: 16, text: 'Two. Three.' },
      { page: 1, start: 18, end: 23, text: 'Four.' },
      { page: 2, start: 0, end: 5, text: 'Five.' },
    ];
    expect(joinPassages(passages)).toBe('One. Two. Three.\nFour.\n\nFive.');
  });

  it('is read in parts, all of it or evenly spread ones', () => {
    expect(partsOf('short')).toEqual(['short']);
    const long = Array.from({ length: 100_000 }, (_, at) => String(at % 10)).join('');
    expect(partsOf(long).join('')).toBe(long);
    const huge = Array.from({ length: 100 }, (_, at) => String.fromCharCode(65 + (at % 26)).repeat(24_000)).join('');
    const parts = partsOf(huge);
    expect(parts).toHaveLength(40);
    expect(parts.every((part) => new Set(part).size === 1)).toBe(true);
    expect([parts[0]![0], parts.at(-1)![0]]).toEqual(['A', String.fromCharCode(65 + (97 % 26))]);
  });
});
