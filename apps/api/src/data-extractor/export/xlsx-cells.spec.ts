import { cellXml, columnLetters, escapeXml, STYLES, textCell, toSheetCell } from './xlsx-cells.js';

const valueOf = (value: unknown, format: 'date' | 'datetime' | 'percent' | null = null) =>
  toSheetCell(value, { format }).value;

describe('cells of a workbook', () => {
  it.each(['=1+1', '+962', '-5', '@cmd', '\tx', '\rx', ' =1', '\n=1', '＝1', '\u00a0=1'])(
    '%j becomes no formula',
    (text) => {
      expect(textCell(text).value).toBe(`'${text}`);
      expect(toSheetCell([text, 'b'], null).value).toMatch(/^'/);
    },
  );

  it('have what is no formula as it is', () => {
    for (const text of ['a=b', '1-2', "'x", 'نص', '', '–5', '12.5 %']) expect(textCell(text).value).toBe(text);
    expect(toSheetCell(-5.5, null)).toEqual({ value: -5.5, style: STYLES.plain });
    expect(toSheetCell({ a: '=1' }, null).value).toBe('{"a":"=1"}');
    expect(toSheetCell([1, 'b', true], null).value).toBe('1; b; true');
    expect(toSheetCell([['a'], null], null).value).toBe('[["a"],null]');
  });

  it('have days and moments that can be counted with', () => {
    expect(valueOf('2026-03-01', 'date')).toBe(46_082);
    expect(valueOf('1900-03-01', 'date')).toBe(61);
    expect(valueOf('2026-03-01T12:00:00Z', 'datetime')).toBe(46_082.5);
    // Before there are days in a workbook, or no day at all.
    for (const text of ['1899-12-31', '0001-01-01', 'soon', '']) expect(valueOf(text, 'date')).toBe(text);
    expect(toSheetCell(12.5, { format: 'percent' })).toEqual({ value: 12.5, style: STYLES.percent });
  });

  it('are XML, whatever stands in them', () => {
    expect(escapeXml('a<b>&"c"\u0000\u0008\ud800\ufffe')).toBe('a&lt;b&gt;&amp;&quot;c&quot;');
    expect(escapeXml('_x0041_ \r a_b')).toBe('_x005F_x0041_ _x000D_ a_b');
    expect(escapeXml('😀 فاتورة')).toBe('😀 فاتورة');
    expect(cellXml({ value: null, style: 0 }, 'A1')).toBe('');
    expect(cellXml({ value: Number.NaN, style: 0 }, 'A1')).toBe('');
    expect(cellXml({ value: true, style: 0 }, 'A1')).toBe('<c r="A1" t="b"><v>1</v></c>');
    expect(cellXml(textCell(`${'x'.repeat(32_766)}😀`), 'A1')).toMatch(/x<\/t>/);
  });

  it('have addresses', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(columnLetters)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
  });
});
