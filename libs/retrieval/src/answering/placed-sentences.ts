import { quotedText, sentenceRanges } from '../text/sentences.js';

/** A part of a passage: offsets (UTF-16 code units) into its text. */
export interface Piece {
  start: number;
  end: number;
}

export interface PlacedSentence extends Piece {
  /** Without line breaks. */
  text: string;
  /** Whether a blank line, or nothing, stands before it. */
  opens: boolean;
}

/** `Adults: 12 crowns`, `Week 4: the cytoskeleton`: beside another such line it is one of a list and no running text. */
const ENTRY = /^[\p{Lu}\p{Lo}*#-][^:.;|]{0,48}:\s+\S/u;

/** The sentences of a passage with their places in it; the entries of a list of values stand alone. */
export function placeSentences(text: string): PlacedSentence[] {
  let last = 0;
  return sentenceRanges(text)
    .flatMap((range) => [...entriesOf(text, range)])
    .flatMap((piece) => {
      const opens = last === 0 || /\n\s*\n/.test(text.slice(last, piece.start));
      last = piece.end;
      const sentence = quotedText(text, piece);
      return sentence === '' ? [] : [{ ...piece, text: sentence, opens }];
    });
}

/** Printed lines run on, but not from one entry to the next. */
function* entriesOf(text: string, { start, end }: Piece): Generator<Piece> {
  let from = start;
  if (ENTRY.test(text.slice(start, end)))
    for (const { index } of text.slice(start, end).matchAll(/\n/g)) {
      const at = start + index;
      if (!ENTRY.test(text.slice(at + 1, end).trimStart())) continue;
      if (text.slice(from, at).trim() !== '') yield { start: from, end: from + text.slice(from, at).trimEnd().length };
      from = at + 1 + (text.slice(at + 1, end).length - text.slice(at + 1, end).trimStart().length);
    }
  yield { start: from, end };
}
