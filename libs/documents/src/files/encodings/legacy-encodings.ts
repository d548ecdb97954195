import chardet from 'chardet';
import { decodeLegacy } from './dos-code-pages.js';
import { sharedAlphabet } from './alphabets.js';
import { plausibleLetters } from './plausible-letters.js';
import { plausiblePairs } from './plausible-pairs.js';

/** Of names by which the detector calls them: those that hold all of their letters and more. */
const SUPERSETS: Readonly<Record<string, readonly string[]>> = {
  'iso-8859-1': ['windows-1252'],
  'iso-8859-9': ['windows-1254'],
  'iso-8859-8': ['windows-1255'],
  'koi8-r': ['koi8-u', 'koi8-r'],
  'iso-8859-2': ['iso-8859-2', 'windows-1250'],
  'windows-1250': ['windows-1250', 'iso-8859-2'],
  'iso-8859-7': ['iso-8859-7', 'windows-1253'],
  'windows-1253': ['windows-1253', 'iso-8859-7'],
};
const PAIRED = ['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'];
const SINGLE = [
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-874',
  'koi8-u',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'ibm866',
];
/** Encodings of the Latin alphabet, which differ in some letters. */
const LATIN = new Set([
  'ibm437',
  'ibm850',
  'ibm852',
  'windows-1252',
  'windows-1250',
  'windows-1254',
  'windows-1257',
  'iso-8859-2',
]);
/** What a text may be in; the usual is the one in which most are. */
const OF_TEXTS = { usual: 'windows-1252', others: [...PAIRED, ...SINGLE] };
/** Names in archives are in the code page of the console of whoever packed it. */
const OF_NAMES = {
  usual: 'ibm437',
  others: [
    ...PAIRED,
    'ibm850',
    'ibm852',
    'ibm866',
    'windows-1251',
    'windows-1253',
    'windows-1255',
    'windows-1256',
    'windows-874',
    'koi8-u',
  ],
};
/** What it counts that one language has all the letters. */
const ONE_LANGUAGE = 1.5;

/**
 * The encoding of a text that is no Unicode. Three judges: the statistics of `chardet`, whether the letters that come
 * out would stand beside each other in any language, and whether one language has them all.
 * @param evidence what holds bytes beyond ASCII
 * @returns a label for `decodeLegacy`; for texts one that `TextDecoder` knows
 */
export function guessLegacyEncoding(evidence: Buffer, of: 'text' | 'names' = 'text'): string {
  if (mostlyUtf8(evidence)) return 'utf-8';
  const { usual, others } = of === 'text' ? OF_TEXTS : OF_NAMES;
  const confidence = confidences(evidence);
  const score = (label: string): number => {
    const statistics = confidence.get(label) ?? 0;
    if (PAIRED.includes(label)) return statistics + plausiblePairs(evidence, label) + ONE_LANGUAGE;
    const text = decodeLegacy(evidence, label);
    return statistics + plausibleLetters(text) + ONE_LANGUAGE * (LATIN.has(label) ? sharedAlphabet(text) : 1);
  };
  let best = { label: usual, score: score(usual) + ahead(evidence) };
  for (const label of others) {
    const own = score(label);
    if (own > best.score) best = { label, score: own };
  }
  return best.label;
}

/** How much better another encoding must be than the usual one: the more, the less there is to tell by. */
function ahead(evidence: Buffer): number {
  let high = 0;
  for (const byte of evidence) if (byte >= 0x80) high += 1;
  return 0.05 + 1 / (2 + high);
}

/** A text in UTF-8 in which a few bytes were damaged, or that two programs wrote to. */
function mostlyUtf8(evidence: Buffer): boolean {
  const text = new TextDecoder().decode(evidence);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const whole = (text.match(/[\u0080-\uffff]/g)?.length ?? 0) - broken;
  return whole >= 4 && broken * 5 <= whole;
}

function confidences(evidence: Buffer): Map<string, number> {
  const found = new Map<string, number>();
  for (const { name, confidence } of chardet.analyse(evidence)) {
    const known = name.toLowerCase();
    for (const label of SUPERSETS[known] ?? [known])
      found.set(label, Math.max(found.get(label) ?? 0, confidence / 100));
  }
  return found;
}
