import { restoreOrder } from './pdf-right-to-left.js';

/** What becomes of a line, by where each of its characters begins. */
function restored(text: string, origins: readonly number[]): string {
  const codes = Uint16Array.from(text, (letter) => letter.charCodeAt(0));
  restoreOrder(codes, (at) => ({ x: origins[at] ?? 0, y: 0 }));
  return String.fromCharCode(...codes);
}

describe('lines from right to left', () => {
  it('have lam before alef where both are one shape, and nowhere else', () => {
    // As PDFium gives a line that Chromium wrote: letters of one shape at one origin.
    expect(restored('اإلجمالي قال', [9, 8, 8, 7, 6, 5, 4, 3, 2, 1, 0.5, 0])).toBe('الإجمالي قال');
  });

  it('have words of other scripts from left to right', () => {
    expect(restored('رقم: -12INV', [20, 19, 18, 17, 16, 13, 14, 15, 10, 11, 12])).toBe('رقم: INV-12');
    // Shown as "3-12" to who reads from the right: the twelve comes first.
    expect(restored('رقم 12-3', [20, 19, 18, 16, 12, 13, 11, 10])).toBe('رقم 12-3');
  });

  it('takes letters that stand above each other for two', () => {
    const codes = Uint16Array.from('قال', (letter) => letter.charCodeAt(0));
    restoreOrder(codes, (at) => ({ x: 5, y: at }));
    expect(String.fromCharCode(...codes)).toBe('قال');
  });

  it('leaves other lines, and lines upside down, as they are', () => {
    expect(restored('ba', [5, 4])).toBe('ba');
    expect(restored('رقم cba', [1, 2, 3, 4, 7, 6, 5])).toBe('رقم cba');
  });
});
