/** Accents, Arabic vowel signs and the hamza and madda that decomposition splits off, tatweel, Hebrew points. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;
const VARIANTS = /[\u0649\u06cc\u0629\u06a9\u0671\u0660-\u0669\u06f0-\u06f9\u2019\u02bc\u00df]/g;

const replacements: Record<string, string> = {
  '\u0649': '\u064a', // alef maksura: ya
  '\u06cc': '\u064a', // Persian ya
  '\u0629': '\u0647', // ta marbuta: ha
  '\u06a9': '\u0643', // Persian kaf
  '\u0671': '\u0627', // alef wasla
  '\u2019': "'",
  '\u02bc': "'",
  '\u00df': 'ss',
};

function plain(variant: string): string {
  const known = replacements[variant];
  if (known !== undefined) return known;
  const code = variant.charCodeAt(0);
  return String(code - (code < 0x06f0 ? 0x0660 : 0x06f0));
}

/** One spelling for all that readers take for the same: width, case, accents, Arabic letter variants and digits. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(MARKS, '').replace(VARIANTS, plain).toLowerCase().normalize('NFC');
}
