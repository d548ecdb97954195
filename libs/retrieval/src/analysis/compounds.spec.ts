import { termsOf } from './analyse.js';
import type { LanguageCode } from './language.js';
import { questionWords } from './question-words.js';

function finds(language: LanguageCode, part: string, compound: string): boolean {
  const { terms, more } = termsOf(compound, language);
  const [word] = questionWords(part, [language]);
  return (word?.prefixes ?? []).some((prefix) => [...terms, ...more].some((term) => term.startsWith(prefix)));
}

describe('compounds', () => {
  it.each<[LanguageCode, string, string[]]>([
    ['de', 'Haftpflichtversicherung', ['Pflicht', 'Versicherungen', 'Haftpflicht']],
    ['de', 'Arbeitsunfallversicherung', ['Unfall', 'Unfälle', 'Arbeit']],
    ['de', 'Wasserschutzgebietsverordnung', ['Schutz', 'Gebiete', 'Wasser', 'Verordnung']],
    ['de', 'Einkommensteuererklärung', ['Steuern', 'Erklärung']],
    ['nl', 'arbeidsongeschiktheidsverzekering', ['ongeschiktheid', 'verzekering']],
    ['nl', 'ziektekostenverzekering', ['kosten']],
    ['sv', 'ansvarsförsäkringsbolag', ['försäkring', 'bolag']],
    ['da', 'arbejdsmarkedspension', ['marked', 'pension']],
    ['no', 'trafikkforsikringsavgift', ['forsikring']],
    ['fi', 'liikennevakuutusyhtiö', ['vakuutus']],
    ['hu', 'felelősségbiztosítás', ['biztosítás']],
  ])('%s: %s is found by its parts', (language, compound, parts) => {
    expect(parts.filter((part) => !finds(language, part, compound))).toEqual([]);
  });

  it('are not found by what only looks like a part', () => {
    for (const other of ['Licht', 'Rate', 'Ohr', 'sich', 'Ader'])
      expect([other, finds('de', other, 'Haftpflichtversicherung')]).toEqual([other, false]);
    expect(finds('de', 'Tag', 'Geburtstagsgeschenk')).toBe(false);
  });

  it('take a bounded number of terms each', () => {
    const { more } = termsOf('Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz', 'de');
    expect(more.length).toBeLessThanOrEqual(9);
  });

  it('are not looked for in a sentence of a language that has none, but by what may be a word of another', () => {
    const words = questionWords('what does the Haftpflicht insurance of the company pay', ['de', 'en']);
    const withParts = words.filter(({ prefixes }) => prefixes.length > 0).map(({ word }) => word);
    expect(withParts).toEqual(['haftpflicht']);
  });
});
