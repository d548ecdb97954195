import { sentencesOf } from './sentences.js';

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

/** A line that is a row of its own: `Header: value; Header: value`. */
const RECORD = /^[^:;|]{1,60}: [^;]*(?:; [^:;]{1,60}: [^;]*)+$/;
/** `Adults: 12 crowns`, `Week 4: the cytoskeleton`; beside another such line, a list of values and no running text. */
const ENTRY = /^[\p{Lu}\p{Lo}*#-][^:.;|]{0,48}:\s+\S/u;

/** Runs of lines in which a line break may be that of a printed line: rows and lists of values are cut into their lines. */
function* runs(text: string): Generator<string> {
  const lines = text.split('\n');
  const isAlone = (at: number) => {
    const line = lines[at]?.trim() ?? '';
    if (RECORD.test(line)) return true;
    return ENTRY.test(line) && [at - 1, at + 1].some((beside) => ENTRY.test(lines[beside]?.trim() ?? ''));
  };
  let run: string[] = [];
  let isRow = false;
  for (const [at, line] of lines.entries()) {
    if (isAlone(at) || (isRow && RECORD.test(lines[at - 1]!.trim()))) {
      yield run.join('\n');
      run = [];
    }
    isRow = isAlone(at);
    run.push(line);
  }
  yield run.join('\n');
}

/** The sentences of a passage with their places in it. Where white space alone differs, a place is found all the same. */
export function placeSentences(text: string): PlacedSentence[] {
  const places: number[] = [];
  let bare = '';
  for (let at = 0; at < text.length; at++) {
    if (/\s/.test(text[at]!)) continue;
    places.push(at);
    bare += text[at];
  }
  let from = 0;
  return [...runs(text)].flatMap(sentencesOf).flatMap((sentence) => {
    const wanted = sentence.replace(/\s+/g, '');
    const found = bare.indexOf(wanted, from);
    if (wanted === '' || found < 0) return [];
    from = found + wanted.length;
    const [start, end] = [places[found]!, places[from - 1]! + 1];
    const before = text.slice(found > 0 ? places[found - 1]! + 1 : 0, start);
    return [{ start, end, text: sentence, opens: found === 0 || /\n\s*\n/.test(before) }];
  });
}
