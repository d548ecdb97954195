import type { XlsxParts } from './xlsx-parts.js';

/** Characters that XML cannot hold are written as `_x000D_`. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        .replaceAll('\u0000', '')
    : text;

/** The texts that cells share. */
export async function readSharedTexts(parts: XlsxParts, part: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  let text = '';
  let takesText = false;
  let hints = 0;
  if (part !== undefined)
    await parts.read(part, {
      open(name) {
        if (name === 'si') text = '';
        else if (name === 'rPh') hints += 1;
        else if (name === 't') takesText = hints === 0;
      },
      close(name) {
        if (name === 't') takesText = false;
        else if (name === 'rPh') hints -= 1;
        else if (name === 'si') texts.push(unescaped(text));
      },
      text(piece) {
        if (takesText) text += piece;
      },
    });
  return texts;
}
