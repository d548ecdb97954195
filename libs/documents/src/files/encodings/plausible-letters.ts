const SCRIPTS = {
  latin: /\p{Script=Latin}/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  greek: /\p{Script=Greek}/u,
  arabic: /\p{Script=Arabic}/u,
  hebrew: /\p{Script=Hebrew}/u,
  thai: /\p{Script=Thai}/u,
} as const;
/** Quotation marks, dashes, dots and the like: they touch words in any language. */
const BESIDE_WORDS =
  /['\u2018-\u201e\u00ab\u00bb\u2039\u203a\u00b7\u00b4\u02bc\u2010-\u2015\u2026\u2020\u2021\u00a0\u00aa\u00ba\u00bf\u00a1\u00ae\u00a9\u2122\u00b9\u00b2\u00b3\u060c\u061b\u061f\u0640\u2116]/u;
/** Superscripts stand behind words, never within them. */
const BEHIND_WORDS = /[\u00aa\u00ba\u00ae\u00a9\u2122\u00b9\u00b2\u00b3]/u;
/** Letters of few languages, which stand where an encoding for another language has its everyday ones. */
const RARE =
  /[\u0402\u0403\u0409-\u040c\u040f\u0452\u0453\u0459-\u045c\u045f\u0679\u067e\u0686\u0688\u0691\u06ba\u06be\u06c1\u06d2\u05f0-\u05f2\u0e50-\u0e5b]/u;
/** So few letters of another alphabet, none beside another, are accents of our own. */
const WORD = 3;

/** From -2 (no language writes so) to 1 (every letter fits the ones beside it; also when there is none beyond ASCII). */
export function plausibleLetters(text: string): number {
  let good = 0;
  let bad = 0;
  let run = 0;
  let longestRun = 0;
  let foreign = false;
  const letters = [...text];
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] ?? '';
    if (letter < '\u0080') {
      run = 0;
      continue;
    }
    const [before = ' ', after = ' '] = [letters[at - 1], letters[at + 1]];
    if (/[\ufffd\p{Co}\p{Cn}\p{Cc}]/u.test(letter)) bad += 2;
    else if (/[\p{L}\p{M}]/u.test(letter)) {
      run += 1;
      longestRun = Math.max(longestRun, run);
      foreign ||= scriptOf(letter) !== 'latin';
      if (RARE.test(letter)) bad += 0.5;
      if (fits(letter, before, after)) good += 1;
      else bad += 1;
    } else {
      run = 0;
      if (isMisplaced(letter, before, after)) bad += 1;
    }
  }
  if (foreign && longestRun < WORD) return -2;
  return good + bad === 0 ? 1 : (good - bad) / (good + bad);
}

/** A sign between letters, or beside another sign, is a letter of another encoding. */
function isMisplaced(sign: string, before: string, after: string): boolean {
  if (/[\u2500-\u259f\u00ad]/u.test(sign)) return true;
  if (BEHIND_WORDS.test(sign)) return isLetter(after);
  if (BESIDE_WORDS.test(sign)) return false;
  return isLetter(before) || (after >= '\u0080' && /[^\p{L}\p{M}\p{P}\p{Z}]/u.test(after));
}

/** The letters beside it are of its script, and a capital follows no small one. */
function fits(letter: string, before: string, after: string): boolean {
  const script = scriptOf(letter);
  if ([before, after].some((other) => isLetter(other) && scriptOf(other) !== script)) return false;
  return !(isCapital(letter) && isSmall(before)) && !(isSmall(letter) && isCapital(before) && isCapital(after));
}

function scriptOf(letter: string): keyof typeof SCRIPTS | 'other' {
  if (letter < '\u0080') return 'latin';
  for (const [name, expression] of Object.entries(SCRIPTS))
    if (expression.test(letter)) return name as keyof typeof SCRIPTS;
  return 'other';
}

function isLetter(letter: string): boolean {
  return /[\p{L}\p{M}]/u.test(letter);
}

function isCapital(letter: string): boolean {
  return /\p{Lu}/u.test(letter);
}

function isSmall(letter: string): boolean {
  return /\p{Ll}/u.test(letter);
}
