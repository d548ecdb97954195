import { currencyDigits, formatMoney, isCurrency, parseMoney, shareOf } from './money.js';

describe('money', () => {
  it('is read in minor units of its currency, and written back', () => {
    for (const [text, currency, minor, written] of [
      ['29.00', 'EUR', 2900, '29.00'],
      ['29', 'EUR', 2900, '29.00'],
      ['0.5', 'USD', 50, '0.50'],
      ['2900', 'JPY', 2900, '2900'],
      ['1.234', 'KWD', 1234, '1.234'],
      ['0', 'JPY', 0, '0'],
    ] as const) {
      expect(parseMoney(text, currency)).toBe(minor);
      expect(formatMoney(minor, currency)).toBe(written);
    }
    expect(formatMoney(-5, 'EUR')).toBe('-0.05');
    expect(currencyDigits('HUF')).toBe(2);
  });

  it('is nothing else', () => {
    for (const text of ['', '-1', '1.234', '1,00', '1e3', ' 1', '.5', '1.', 'NaN', '9999999999999'])
      expect(parseMoney(text, 'EUR')).toBeNull();
    expect(parseMoney('1.0', 'JPY')).toBeNull();
    expect(['EUR', 'JPY', 'eur', 'EU', 'XYZ', ''].filter(isCurrency)).toEqual(['EUR', 'JPY']);
  });

  it('is shared with halves away from zero', () => {
    expect(shareOf(2900 * 12, 80, 100)).toBe(27_840);
    expect([shareOf(1, 1, 2), shareOf(-1, 1, 2), shareOf(1, 1, 3), shareOf(2, 1, 3)]).toEqual([1, -1, 0, 1]);
    expect(shareOf(Number.MAX_SAFE_INTEGER, 365, 365)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
