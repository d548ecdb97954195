import { detectLanguage, type LanguageCode } from '../analysis/language.js';
import { blocksOf, type Block, type TextRange } from './blocks.js';
import { endsSentence, writesCapitals } from './sentence-end.js';

/** Marks at which a sentence may end, of every script, and the ellipsis. */
const MARKS = /[\p{Sentence_Terminal}…]+/gu;
/** After these no white space stands. */
const FULL_WIDTH = /[。！？｡]$/;
const CLOSING = /["'”’»›)\]}*_」』）】]/;
const MOST_CLOSING = 8;

/** Longer lines are no headings. */
const HEADING_LENGTH = 80;

/** What abbreviations and ordinal numbers are read by where the text is too short to tell its language. */
const DEFAULT_LANGUAGE: LanguageCode = 'en';

/** Sentences within one block, given in order; together they hold all of it but the white space between them. */
export function* sentencesOfBlock(text: string, block: Block, language: LanguageCode): Generator<TextRange> {
  const { end } = block;
  let { start } = block;
  if (!block.isRow) {
    const writing = { language, isCased: writesCapitals(text.slice(start, end)) };
    // Within the block alone: a search that finds nothing must not read on to the end of the text.
    for (const { index, 0: mark } of text.slice(start, end).matchAll(MARKS)) {
      const first = block.start + index;
      const marked = first + mark.length;
      let at = marked;
      for (let n = 0; n < MOST_CLOSING && at < end && CLOSING.test(text[at]!); n++) at++;
      let next = at;
      while (next < end && /\s/.test(text[next]!)) next++;
      if (next >= end) break;
      // What is said in quotation marks goes on without a space: 「未定です。」と言った。
      const isFullWidth = FULL_WIDTH.test(mark) && at === marked;
      if (next === at && !isFullWidth) continue;
      if (!isFullWidth && !endsSentence(text, [start, end], first, mark, next, writing)) continue;
      yield { start, end: at };
      start = next;
    }
  }
  if (start < end) yield { start, end };
}

/**
 * The sentences of a text as ranges, in order. Rows of tables, headings and items of lists stand alone; what is a row
 * is never parted. Linear in the length of the text, which may be megabytes.
 * @param language of the text; found out unless told
 */
export function sentenceRanges(text: string, language: LanguageCode | null = detectLanguage(text)): TextRange[] {
  return [...blocksOf(text)].flatMap((block) => [...sentencesOfBlock(text, block, language ?? DEFAULT_LANGUAGE)]);
}

/** A range of a text as it is quoted: line breaks are spaces, without marks of emphasis at its beginning. */
export function quotedText(text: string, { start, end }: TextRange): string {
  return text
    .slice(start, end)
    .replace(/\s+/g, ' ')
    .replace(/^[*_]+\s+/, '')
    .trim();
}

/**
 * The sentences of a passage, in order, with line breaks inside them made into spaces. Printed lines run on into the
 * next one; table rows, headings and list items stand alone.
 */
export function sentencesOf(text: string, language?: LanguageCode | null): string[] {
  return sentenceRanges(text, language)
    .map((range) => quotedText(text, range))
    .filter(Boolean);
}

/** Scripts whose sentences have no mark at their ends. */
const ENDLESS = /[\p{Script=Thai}\p{Script=Lao}]/u;
const ENDLESS_HEADING_LENGTH = 30;

/** Whether a line of `sentencesOf` is a heading: short, without an end, and no row or item of a list. */
export function isHeading(sentence: string): boolean {
  return (
    sentence.length <= (ENDLESS.test(sentence) ? ENDLESS_HEADING_LENGTH : HEADING_LENGTH) &&
    !/[.!?;,؟۔…|。！？；，،]["')\]»”]{0,5}$/.test(sentence) &&
    !/^[-*•|]/.test(sentence) &&
    !sentence.includes(' | ')
  );
}
