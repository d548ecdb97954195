import { nameKey } from './name-key.js';

describe('nameKey', () => {
  it.each([
    ['Expense-Handbook_2026 (final).PDF', 'expense handbook 2026 final pdf'],
    ['Übersicht Straße.txt', 'ubersicht strasse txt'],
    ['دَليل السَّفر.pdf', nameKey('دليل السفر.pdf')],
    ['تقرير ٢٠٢٦', nameKey('تقرير 2026')],
    [' – … ', ''],
  ])('spells %p', (name, key) => expect(nameKey(name)).toBe(key));

  it('keeps different words apart, in ASCII', () => {
    const words = ['دليل', 'دخيل', 'Отчёт', 'Отчеты', '報告', '報告書'];
    const keys = words.map(nameKey);
    expect(new Set(keys).size).toBe(words.length);
    expect(keys.join('')).toMatch(/^[a-z0-9]+$/);
    expect(nameKey('دليل')).toHaveLength(4);
  });
});
