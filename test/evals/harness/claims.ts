import type { Source } from './outcome.js';

/** A sentence may begin with one, before a noun. */
const SMALL = /^(?:The|A|An|In|At|On|Der|Die|Das|Ein|Eine|Den|Dem|Am|Im|Es|Ab) /;
const MARK = /\[(\d{1,4})\](?!\()/g;

/** What the cited passages do not hold of the sentences that cite them: numbers, and names of several words. */
export function unsupportedClaims(answer: string, sources: readonly Source[]): string[] {
  const complaints: string[] = [];
  for (const sentence of answer.split(/(?<=\[\d{1,4}\])[.!?。]?\s+|\n+/)) {
    const cited = [...sentence.matchAll(MARK)].map(([, number]) => Number(number));
    if (cited.length === 0) continue;
    const passages = sources.filter(({ citation }) => cited.includes(citation));
    const missing = cited.find((number) => !passages.some(({ citation }) => citation === number));
    if (missing !== undefined) complaints.push(`[${missing}] is no source of the answer`);
    const text = passages.map((passage) => passage.text).join('\n');
    for (const claim of claimsOf(sentence.replace(MARK, '')))
      if (!text.includes(claim)) complaints.push(`“${claim}” does not stand in what [${cited.join(', ')}] cites`);
  }
  return complaints;
}

function claimsOf(sentence: string): string[] {
  const numbers = sentence.match(/\d+(?:[.:,-]\d+)*/g) ?? [];
  const names = (sentence.match(/\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/gu) ?? []).filter((name) => !SMALL.test(name));
  return [...numbers, ...names];
}
