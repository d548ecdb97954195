import { otherSpellings } from './spellings.js';

describe('otherSpellings', () => {
  it.each([
    ['tumour', 'tumor'],
    ['behavioural', 'behavioral'],
    ['organise', 'organize'],
    ['analysed', 'analyzed'],
    ['modelling', 'modeling'],
    ['centre', 'center'],
    ['catalogue', 'catalog'],
    ['defence', 'defense'],
    ['haemoglobin', 'hemoglobin'],
    ['leukaemia', 'leukemia'],
    ['oesophagus', 'esophagus'],
    ['sulphate', 'sulfate'],
    ['programme', 'program'],
    ['alpha', 'α'],
  ])('knows %s and %s of each other', (british, american) => {
    expect(otherSpellings(british)).toContain(american);
    expect(otherSpellings(american)).toContain(british);
  });

  it('has none of other words', () => {
    for (const word of ['hour', 'course', 'boiling', 'filled', 'rose', 'disease', 'wise', 'size', 'pump', 'straße', ''])
      expect(otherSpellings(word)).toEqual([]);
  });
});
