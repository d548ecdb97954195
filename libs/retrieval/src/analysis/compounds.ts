import type { LanguageCode } from './language.js';

/** Languages that write compounds as one word. */
const COMPOUNDING: ReadonlySet<LanguageCode> = new Set(['de', 'nl', 'sv', 'da', 'no', 'fi', 'hu']);
/** No term of a text begins like these. */
const [BACKWARDS, WITHIN] = ['~', '+'];
const SHORTEST_COMPOUND = 8;
const SHORTEST_TAIL = 4;
/** In front or within: shorter ones begin other words. */
const SHORTEST_PART_FOUND = 5;
const WORD = /^[\p{L}]+$/u;

const backwards = (term: string) => BACKWARDS + [...term].toReversed().join('');

export function isCompounding(language: LanguageCode): boolean {
  return COMPOUNDING.has(language);
}

/**
 * What else a compound is found by: its term read backwards, so that it is found by how it ends (`versicherung` in
 * `Haftpflichtversicherung`), and the rest of it from where a part in its middle may begin (`pflichtversicherung`).
 */
export function compoundTerms(term: string, language: LanguageCode): string[] {
  if (!COMPOUNDING.has(language) || term.length < SHORTEST_COMPOUND || !WORD.test(term)) return [];
  return [backwards(term), ...middles(term, language).map((at) => WITHIN + term.slice(at))];
}

/**
 * Beginnings of terms by which compounds are found that have a word in front, within or at their end.
 * @param term of the word
 * @param word without accents: of a short stem (`steu`) more of it has to be there
 */
export function compoundPrefixes(term: string, word: string, language: LanguageCode): string[] {
  if (!COMPOUNDING.has(language) || !WORD.test(term)) return [];
  const part = term.length < SHORTEST_PART_FOUND && word.startsWith(term) ? word.slice(0, SHORTEST_PART_FOUND) : term;
  return [
    ...(part.length >= SHORTEST_PART_FOUND ? [part, WITHIN + part] : []),
    ...(term.length >= SHORTEST_TAIL ? [backwards(term)] : []),
  ];
}

/** Letters of a compound before a part in its middle, and from where that part begins. */
const [BEFORE, FROM] = [3, 9];
/** Of one compound; the longest have more, which are then not found. */
const MOST_MIDDLES = 8;
/** Letters are looked at as stems have them, without accents. */
const VOWEL = /[aeiouy]/;

const SCANDINAVIAN = `b bj bl br c d dj dr dv f fj fl fn fr g gj gl gn gr h hj hv j k kj kl kn kr kv l lj m mj n nj p pj pl pr r s
  sj sk skj skr skv sl sm sn sp spj spl spr st stj str sv t tj tr tv v vr z`;
/** What words begin with before their first vowel. */
const ONSETS: Partial<Record<LanguageCode, string>> = {
  de: `b bl br c ch chl chr d dr f fl fr g gl gn gr h j k kl kn kr l m n p pf pfl pfr ph pl pr q r s sch schl schm schn schr
    schw sk sp spl spr st str t th tr v w wr z zw`,
  nl: `b bl br c ch chr d dr dw f fl fr g gl gr h j k kl kn kr kw l m n p pl pr q r s sch schr sj sl sm sn sp spl spr st str t
    th tj tr tw v vl vr w wr z zw`,
  sv: SCANDINAVIAN,
  da: SCANDINAVIAN,
  no: SCANDINAVIAN,
  fi: 'b d f g h j k l m n p r s t v',
  hu: 'b c cs d dz f g gy h j k kl kr l ly m n ny p pl pr r s sp st sz t tr ty v z zs',
};

const onsets = new Map<LanguageCode, ReadonlySet<string>>();

function onsetsOf(language: LanguageCode): ReadonlySet<string> {
  let known = onsets.get(language);
  if (known === undefined) onsets.set(language, (known = new Set((ONSETS[language] ?? '').split(/\s+/))));
  return known;
}

/**
 * Where parts in the middle of a compound may begin: at syllables, as words of the language begin, so that `Pflicht` is
 * found in `Haftpflichtversicherung` and `Licht` is not.
 */
function middles(term: string, language: LanguageCode): number[] {
  const found = new Set<number>();
  let before = 0;
  while (before < term.length && !VOWEL.test(term[before]!)) before++;
  for (let vowel = before + 1; vowel < term.length; vowel++) {
    if (!VOWEL.test(term[vowel]!)) continue;
    for (const begin of beginnings(term, before + 1, vowel, onsetsOf(language)))
      if (begin >= BEFORE && term.length - begin >= FROM) found.add(begin);
    before = vowel;
  }
  return [...found].slice(0, MOST_MIDDLES);
}

/**
 * Where a part may begin whose first vowel is at `vowel`: with as many of the consonants from `from` on as a word may,
 * with one fewer when the first of them may be the `s` that links the parts, or with the vowel.
 */
function beginnings(term: string, from: number, vowel: number, legal: ReadonlySet<string>): number[] {
  // Two vowels are most often one sound.
  if (from === vowel) return [];
  let first = from;
  while (first < vowel && !legal.has(term.slice(first, vowel))) first++;
  const linked = term[first] === 's' && legal.has(term.slice(first + 1, vowel));
  return [first, ...(linked ? [first + 1] : []), vowel];
}

/** Between the parts of a compound. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er'];
const SHORTEST_PART = 4;

/** Ways to take a long word for two: `Kündigungsfrist` for `Kündigung` and `Frist`; at most some 60. */
export function* splits(word: string): Generator<[string, string]> {
  if (!WORD.test(word) || word.length > 40) return;
  for (let at = SHORTEST_PART; at + SHORTEST_PART <= word.length; at++) {
    const [front, back] = [word.slice(0, at), word.slice(at)];
    for (const link of LINKS) {
      const head = link === '' ? front : front.slice(0, -link.length);
      if (front.endsWith(link) && head.length >= SHORTEST_PART) yield [head, back];
    }
  }
}
