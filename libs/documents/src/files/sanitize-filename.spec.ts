import { sanitizeFilename } from './sanitize-filename.js';

describe('sanitizeFilename', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd.pdf', 'passwd.pdf'],
    ['C:\\Users\\me\\plan.docx', 'plan.docx'],
    ['nul\u0000byte\u0007.txt', 'nulbyte.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['two\nlines\r\n.md', 'twolines.md'],
    ['  many   blanks .pdf ', 'many blanks .pdf'],
    ['.hidden', 'hidden'],
    ['...', 'file'],
    ['', 'file'],
    ['/', 'file'],
    ['cafe\u0301.txt', 'café.txt'],
    ['broken\ud800.txt', 'broken.txt'],
    ['Report v1..pdf', 'Report v1..pdf'],
    ['a..b...docx', 'a..b...docx'],
    ['\u3164\u200d.pdf', '\u200d.pdf'],
    ['\u200d', 'file'],
    ['heart ❤️.png', 'heart ❤️.png'],
    ['سياسة السفر.pdf', 'سياسة السفر.pdf'],
    ['می\u200cروم.txt', 'می\u200cروم.txt'],
  ])('%j becomes %j', (given, expected) => {
    expect(sanitizeFilename(given)).toBe(expected);
  });

  it('cuts a long name to 255 bytes, keeps the extension and whole letters', () => {
    expect(sanitizeFilename(`${'a'.repeat(5000)}.pdf`)).toBe(`${'a'.repeat(251)}.pdf`);
    const arabic = sanitizeFilename(`${'س'.repeat(5000)}.docx`);
    expect(arabic).toBe(`${'س'.repeat(125)}.docx`);
    const family = sanitizeFilename(`${'👨‍👩‍👧'.repeat(300)}.png`);
    expect(Buffer.byteLength(family)).toBeLessThanOrEqual(255);
    expect(family).toMatch(/^(👨‍👩‍👧)+\.png$/u);
  });
});
