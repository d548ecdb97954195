import { termsOf } from './analyse.js';
import type { LanguageCode } from './language.js';
import { questionWords } from './question-words.js';

const termsIn = (question: string, ...languages: LanguageCode[]) =>
  questionWords(question, languages).map(({ terms }) => terms.join('|'));
const lightly = (question: string, ...languages: LanguageCode[]) =>
  questionWords(question, languages)
    .filter(({ weight }) => weight < 1)
    .map(({ word }) => word);

describe('questionWords', () => {
  it('asks English as ever', () => {
    expect(termsIn('When were the reports of the company published?')).toEqual(['report', 'compani', 'publish']);
  });

  it.each<[LanguageCode, string, string[]]>([
    ['de', 'Wie hoch ist die Miete für die Wohnungen?', ['hoch', 'miet', 'wohnung']],
    ['fr', 'Quel est le délai de la résiliation ?', ['del', 'resili']],
    ['es', '¿Cuándo se pagan los contratos?', ['pag', 'contrat']],
    ['it', 'Quando scadono i contratti?', ['scad', 'contratt']],
    ['nl', 'Wanneer worden de facturen betaald?', ['factur', 'betaald']],
    ['tr', 'Kira sözleşmesi nasıl feshedilir?', ['kira', 'sozlesmes', 'feshedilir']],
    ['ru', 'Когда истекает срок договоров?', ['истека', 'срок', 'договор']],
  ])('stems %s and leaves out what only asks', (language, question, stems) => {
    const words = questionWords(question, [language]);
    expect(words).toHaveLength(stems.length);
    for (const [at, stem] of stems.entries()) expect(words[at]!.terms).toContain(stem);
  });

  it.each<[LanguageCode, string, string]>([
    ['de', 'Gebäude', 'Gebaeude'],
    ['de', 'Straße', 'Strasse'],
    ['de', 'AX-9000-B7', 'AX9000B7'],
    ['en', 'e-mail', 'email'],
    ['en', 'INV-2024/07', 'INV202407'],
    ['da', 'Sørensen', 'Sorensen'],
    ['tr', 'ISPARTA', 'ısparta'],
  ])('finds in %s what is written %s by %s, and the other way round', (language, one, other) => {
    for (const [written, asked] of [
      [one, other],
      [other, one],
    ] as const) {
      const { terms, more } = termsOf(written, language);
      const there = new Set([...terms, ...more]);
      const words = questionWords(asked, [language]);
      expect([asked, words.some((word) => word.terms.some((term) => there.has(term)))]).toEqual([asked, true]);
    }
  });

  it('knows what only says what to do', () => {
    const claim = 'aspirin inhibits platelets';
    const words = questionWords(
      `Please find passages that support the following claim and answer briefly: ${claim}`,
      [],
    );
    expect(words.filter(({ weight }) => weight === 1).map(({ word }) => word)).toEqual(claim.split(' '));
    expect(
      lightly('Bitte suche die Textstellen, die diese Aussage belegen: Aspirin hemmt Blutplättchen', 'de'),
    ).toContain('textstellen');
    expect(lightly('What does the claim number on page two of the insurance policy mean?')).toEqual([]);
    expect(lightly('Please answer the following question in one sentence')).toEqual([]);
  });

  it('keeps every word where all of them only ask', () => {
    expect(termsIn('wer ist es', 'de').length).toBeGreaterThan(0);
  });

  it('takes anything within bounds', () => {
    expect(questionWords('', ['de'])).toEqual([]);
    expect(questionWords('\0 \ud800 \\\' "', ['de', 'fr'])).toEqual(expect.any(Array));
    const many = Array.from({ length: 5000 }, (_, at) => `w${at}`).join(' ');
    expect(questionWords(many, ['de', 'fr', 'es']).length).toBeLessThan(2000);
  });
});
