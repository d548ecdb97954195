import { restoreOrder } from './pdf-right-to-left.js';

/** What becomes of a line, by where each of its characters begins. @param rest of its page */
function restored(text: string, origins: readonly number[], rest = 'وهذه صفحة كتبت باللغة العربية'): string {
  const codes = Uint16Array.from(`${text}\n${rest}`, (letter) => letter.charCodeAt(0));
  restoreOrder(codes, (at) => ({ x: origins[at] ?? 1000 - at, y: 0 }));
  return String.fromCharCode(...codes.subarray(0, text.length));
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

  it('have names and telephone numbers of several words from the left, and the stop behind them', () => {
    // As LibreOffice draws "شركة ABC Trading Ltd. تلتزم", and PDFium turns it around.
    const name = 'شر Ltd Tra .ABC تل';
    const places = [99, 97, 95, 70, 74, 78, 66, 50, 54, 58, 46, 28, 30, 34, 38, 26, 24, 22];
    expect(restored(name, places)).toBe('شر ABC Tra Ltd. تل');
    const number = 'طل 5678 11 +966 أو';
    expect(restored(number, [99, 97, 95, 80, 84, 88, 92, 76, 68, 72, 64, 46, 50, 54, 58, 44, 42, 40])).toBe(
      'طل +966 11 5678 أو',
    );
    expect(restored('عام .٢٠٢٤', [30, 28, 26, 24, 2, 4, 8, 12, 16])).toBe('عام ٢٠٢٤.');
    // Two cells of a table.
    expect(restored('رقم Xyz Abc', [99, 97, 95, 93, 60, 64, 68, 58, 10, 14, 18])).toBe('رقم Xyz Abc');
  });

  it('are told from lines from the left that hold a few such words', () => {
    // "Lessee, " from the left, then the words of a name, of which PDFium gives the leftmost first.
    const places = [
      0, 4, 8, 12, 16, 20, 24, 28, 44, 40, 36, 32, 48, 60, 56, 52, 64, 80, 76, 72, 68, 84, 88, 92, 96, 100, 104,
    ];
    expect(restored('Lessee, احمد علي محمد, pays', places)).toBe('Lessee, محمد علي احمد, pays');
    // Turned as a whole: it is read as the rest of its page is.
    const turned = [96, 94, 92, 90, 70, 74, 78, 82, 66, 40, 44, 48, 52];
    expect(restored('خطة 2024 Plan', turned, 'A page in English')).toBe('Plan خطة 2024');
    expect(restored('خطة 2024 Plan', turned)).toBe('خطة 2024 Plan');
  });

  it('tells which character each is then', () => {
    const codes = Uint16Array.from('ققق bc a', (letter) => letter.charCodeAt(0));
    expect([...(restoreOrder(codes, (at) => ({ x: [34, 32, 30, 28, 14, 18, 12, 6][at] ?? 0, y: 0 })) ?? [])]).toEqual([
      0, 1, 2, 3, 7, 6, 4, 5,
    ]);
    expect(restoreOrder(Uint16Array.of(65, 66), () => ({ x: 0, y: 0 }))).toBeNull();
  });

  it('have brackets around what they enclose', () => {
    const descending = Array.from({ length: 20 }, (_, at) => 99 - 2 * at);
    expect(restored('قال )نعم( ]لا[', descending)).toBe('قال (نعم) [لا]');
    expect(restored('قال (نعم) [لا]', descending)).toBe('قال (نعم) [لا]');
    expect(restored('A نعم) B) or', [0, 4, 14, 11, 8, 17, 20, 24, 28, 32, 36, 40])).toBe('A نعم( B) or');
    expect(restored('1) قال', descending)).toBe('1) قال');
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
