import { termsOf, type TextTerms } from '../analysis/analyse.js';
import { detectLanguage, type LanguageCode } from '../analysis/language.js';
import { isStemmable } from '../analysis/stemming.js';
import type { TextChunk } from '../chunking/chunk.js';
import { withContext } from './with-context.js';

/** A language is told some milliseconds at a time: of long documents, for several passages together. */
const MOST_DETECTIONS = 200;

/** What the passages of a document are found by, each in the language that it is in. */
export class PassageTerms {
  /** Index terms so far, repetitions counted. */
  termCount = 0;
  private readonly ofDocument: LanguageCode;
  private readonly ofPassages: LanguageCode[];
  private readonly passages: ReadonlyMap<number, LanguageCode>;

  constructor(chunks: readonly TextChunk[]) {
    const together = Math.max(1, Math.ceil(chunks.length / MOST_DETECTIONS));
    const windows = Array.from({ length: Math.ceil(chunks.length / together) }, (_, at) =>
      chunks
        .slice(at * together, (at + 1) * together)
        .map(({ text }) => text)
        .join('\n'),
    );
    const detected = windows.map((text) => stemmable(detectLanguage(text)));
    this.ofDocument = mostOf(detected);
    this.ofPassages = detected.map((language) => language ?? this.ofDocument);
    this.passages = new Map(chunks.map((chunk, at) => [chunk.ordinal, this.ofPassages[Math.floor(at / together)]!]));
  }

  /** Languages of its passages. */
  get languages(): LanguageCode[] {
    return [...new Set(this.ofPassages)].toSorted();
  }

  read({ ordinal, text, context }: TextChunk): TextTerms {
    const language = this.passages.get(ordinal) ?? this.ofDocument;
    const own = termsOf(text, language);
    const around = termsOf(context, language);
    const terms = withContext(own.terms, around.terms);
    this.termCount += terms.length;
    return { terms, more: [...own.more, ...around.more] };
  }
}

function stemmable(language: LanguageCode | null): LanguageCode | null {
  // A language without a stemmer is read as English is: so are the English words in it.
  return language === null ? null : isStemmable(language) ? language : 'en';
}

function mostOf(languages: readonly (LanguageCode | null)[]): LanguageCode {
  const counts = new Map<LanguageCode, number>();
  for (const language of languages) if (language) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].toSorted(([, left], [, right]) => right - left)[0]?.[0] ?? 'en';
}
