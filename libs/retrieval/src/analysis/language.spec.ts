import { detectLanguage } from './language.js';

describe('detectLanguage', () => {
  it.each([
    ['en', 'Which region has the highest quantity?'],
    ['en', 'annual report'],
    ['de', 'Wie hoch ist die Kündigungsfrist?'],
    ['de', 'Haftpflichtversicherung'],
    ['fr', 'Le bail se termine le 31 mars.'],
    ['fr', "chiffre d'affaires 2023"],
    ['es', '¿Cuándo termina el contrato?'],
    ['it', 'Quanti dipendenti ha la società?'],
    ['pt', 'Qual é o valor do aluguel?'],
    ['nl', 'Hoeveel medewerkers heeft het bedrijf?'],
    ['sv', 'Hur många anställda har företaget?'],
    ['ar', 'متى ينتهي العقد؟'],
    ['ru', 'Когда заканчивается договор?'],
    ['ja', '契約はいつ終わりますか'],
    ['zh', '合同什么时候结束？'],
    ['th', 'สัญญาสิ้นสุดเมื่อใด'],
    ['ko', '계약은 언제 끝납니까'],
    ['fa', 'قرارداد کی تمام می‌شود؟'],
  ])('knows %s: %s', (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  it.each([
    '',
    '12345',
    'AX-9000-B7',
    'INV-2024/07 2024',
    '$1,234.50',
    'https://example.org/die/der/und',
    'John Smith',
  ])('does not guess at %s', (text) => {
    expect(detectLanguage(text)).toBeNull();
  });

  it('tells the language of a long text from all of it, at once', () => {
    const german = 'Die Versicherung haftet nicht für Schäden, die vorsätzlich herbeigeführt wurden. '.repeat(40_000);
    expect(detectLanguage(`Subject: your request of last week\n${german}`)).toBe('de');
    expect(detectLanguage('x'.repeat(3_000_000))).toBeNull();
  });
});
