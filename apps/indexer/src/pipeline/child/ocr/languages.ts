/** Tesseract's code, the code that `eld` gives (ISO 639-1), and Tesseract's name of the script where it is not Latin. */
const KNOWN: readonly [code: string, short: string, script?: string][] = [
  ['eng', 'en'],
  ['deu', 'de'],
  ['fra', 'fr'],
  ['spa', 'es'],
  ['ita', 'it'],
  ['por', 'pt'],
  ['nld', 'nl'],
  ['dan', 'da'],
  ['swe', 'sv'],
  ['nor', 'no'],
  ['fin', 'fi'],
  ['isl', 'is'],
  ['pol', 'pl'],
  ['ces', 'cs'],
  ['slk', 'sk'],
  ['slv', 'sl'],
  ['hrv', 'hr'],
  ['hun', 'hu'],
  ['ron', 'ro'],
  ['est', 'et'],
  ['lav', 'lv'],
  ['lit', 'lt'],
  ['tur', 'tr'],
  ['vie', 'vi'],
  ['cat', 'ca'],
  ['ara', 'ar', 'Arabic'],
  ['fas', 'fa', 'Arabic'],
  ['urd', 'ur', 'Arabic'],
  ['rus', 'ru', 'Cyrillic'],
  ['ukr', 'uk', 'Cyrillic'],
  ['bul', 'bg', 'Cyrillic'],
  ['srp', 'sr', 'Cyrillic'],
  ['bel', 'be', 'Cyrillic'],
  ['ell', 'el', 'Greek'],
  ['heb', 'he', 'Hebrew'],
  ['hin', 'hi', 'Devanagari'],
  ['mar', 'mr', 'Devanagari'],
  ['tha', 'th', 'Thai'],
  ['jpn', 'ja', 'Japanese'],
  ['kor', 'ko', 'Korean'],
  ['chi_sim', 'zh', 'Han'],
  ['chi_tra', 'zh', 'Han'],
];

/** Fewer letters are a guess in any language. */
const MIN_LETTERS = 60;

/** The script that a language is written in; Latin when we do not know it. */
export function scriptOf(language: string): string {
  return KNOWN.find(([code]) => code === language)?.[2] ?? 'Latin';
}

/** The wanted languages by script, the script that was seen (if any is written in it) first. */
export function groupByScript(languages: readonly string[], seen: string | null): string[][] {
  const groups = new Map<string, string[]>();
  for (const language of languages) {
    const script = scriptOf(language);
    groups.set(script, [...(groups.get(script) ?? []), language]);
  }
  const first = seen === null ? undefined : groups.get(seen);
  const all = [...groups.values()];
  return first ? [first, ...all.filter((group) => group !== first)] : all;
}

/** In which of these languages a text is, when that can be told; letters may be wrong in places. */
export async function tellLanguage(text: string, among: readonly string[]): Promise<string | null> {
  if (among.length < 2 || (text.match(/\p{L}/gu)?.length ?? 0) < MIN_LETTERS) return null;
  // A megabyte of word pieces, for documents that need it.
  const { eld } = await import('eld/extrasmall');
  const scores = eld.detect(text).getScores();
  let best: { code: string; score: number } | null = null;
  for (const code of among) {
    const short = KNOWN.find(([known]) => known === code)?.[1];
    const score = (short === undefined ? undefined : scores[short]) ?? 0;
    if (score > (best?.score ?? 0)) best = { code, score };
  }
  return best?.code ?? null;
}
