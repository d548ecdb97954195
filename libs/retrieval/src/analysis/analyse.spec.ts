import { analyse } from './analyse.js';

describe('analyse', () => {
  it('stems English and drops what is everywhere', () => {
    expect(analyse('The reports were running; RUNNERS ran.')).toEqual(['report', 'run', 'runner', 'ran']);
  });

  it('reads accents, widths and cases alike', () => {
    expect(analyse('Ｃafé CAFÉ café')).toEqual(analyse('cafe cafe cafe'));
  });

  it('reads Arabic with and without article, vowel signs, hamza and tatweel alike', () => {
    const [plain] = analyse('كتاب');
    for (const form of ['الكتاب', 'والكتاب', 'بالكتاب', 'كِتَابٌ', 'كتـــاب', 'كتابها'])
      expect([form, ...analyse(form)]).toEqual([form, plain]);
    expect(analyse('إدارة')).toEqual(analyse('اداره'));
    expect(analyse('موظفون')).toEqual(analyse('الموظفين'));
    expect(analyse('من في على')).toEqual([]);
  });

  it('finds codes and numbers as a whole and in parts', () => {
    expect(analyse('INV-2024/07')).toEqual(['inv-2024/07', 'inv', '2024', '07']);
    expect(analyse('a.b@example.org')).toContain('a.b@example.org');
    expect(analyse('٢٠٢٤')).toEqual(['2024']);
    expect(analyse("the owner's well-known plan")).toEqual(['owner', 'well', 'known', 'plan']);
  });

  it('cuts scripts without spaces into pairs', () => {
    expect(analyse('東京都')).toEqual(['東京', '京都']);
    expect(analyse('月租金为5000元')).toEqual(['月租', '租金', '金为', '5000', '元']);
    expect(analyse('センター長')).toEqual(['セン', 'ンタ', 'ター', 'ー長']);
  });

  it('takes the particles of Korean words off', () => {
    for (const word of ['월세는', '월세가', '월세를', '월세']) expect(analyse(word)).toEqual(['월세']);
    expect(analyse('회의')).toEqual(['회의']);
  });

  it('takes anything', () => {
    expect(analyse('')).toEqual([]);
    expect(analyse('\0 \ud800 \\\' "')).toEqual(expect.any(Array));
    expect(Math.max(...analyse('x'.repeat(1000)).map((term) => term.length))).toBeLessThanOrEqual(48);
  });
});
