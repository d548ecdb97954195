import { questionLanguage, saidLanguage } from './asking-words.js';

describe('the language of a question', () => {
  it.each([
    ['Quel est le loyer mensuel ?', 'fr'],
    ['Wer ist Herr Wałęsa?', 'de'],
    ['Qui est Dvořák ?', 'fr'],
    ['Who is the tenant of Łódź?', 'en'],
  ])('%s: %s', (question, language) => {
    expect(questionLanguage(question)).toBe(language);
  });

  it.each(['Aylık kira ne kadar?', 'Tiền thuê hàng tháng là bao nhiêu?', 'Ile wynosi miesięczny czynsz?'])(
    'takes %s for none of those that it has words for',
    (question) => {
      expect(saidLanguage(question)).toBeNull();
    },
  );
});
