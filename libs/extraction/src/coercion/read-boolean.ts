import { fold } from '@app/common';

/** As `fold` spells them: without accents, Arabic letters in one form. */
const YES = new Set(
  'true yes y 1 on ja j oui o si s sim da tak wahr vrai verdadero verdadeiro vero richtig checked ✓ ✔ ☑ ☒ ✅ 🗸 x ✕ ☓ نعم صحيح اجل'.split(
    ' ',
  ),
);
const NO = new Set(
  'false no n 0 off nein non nao nee nej nie falsch faux falso unchecked ✗ ✘ ☐ □ ❌ لا خطا خطأ كلا'.split(' '),
);

/** A crossed box is a chosen one: so are forms filled in. */
export function readBoolean(text: string): boolean | null {
  const plain = fold(text.trim())
    .replace(/[.!]$/, '')
    .replace(/^\[ ?(.?) ?\]$/, (_, mark: string) => (mark === '' ? '☐' : mark));
  if (YES.has(plain)) return true;
  return NO.has(plain) ? false : null;
}
