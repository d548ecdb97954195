import { STOP_WORDS } from '../analysis/stop-words.js';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Ends as sentences and headings do, not in the middle of a printed line. */
const LINE_END = /[.!?:;؟۔…]["')\]»”]*$/;
/** A printed line shorter than this ends because its paragraph does. */
const FULL_LINE = 45;

/** Longer lines are no headings. */
const HEADING_LENGTH = 80;

/** No sentence or heading ends with `on the` or with a comma. */
function isBroken(line: string): boolean {
  return line.endsWith(',') || STOP_WORDS.has(line.slice(line.lastIndexOf(' ') + 1).toLowerCase());
}

/**
 * The sentences of a passage, in order, with line breaks inside them made into spaces. Printed lines run on into the
 * next one; table rows, headings and list items stand alone.
 */
export function sentencesOf(text: string): string[] {
  const paragraphs: string[] = [];
  let open = '';
  for (const line of text.split('\n').map((each) => each.trim())) {
    const runsOn =
      open !== '' &&
      line !== '' &&
      !LINE_END.test(open) &&
      (open.length >= FULL_LINE || /^\p{Ll}/u.test(line) || isBroken(open)) &&
      !/^[-*•|#]|\|$/.test(line);
    if (runsOn) {
      open = `${open} ${line}`;
    } else {
      paragraphs.push(open);
      open = line;
    }
  }
  paragraphs.push(open);
  return paragraphs
    .flatMap((paragraph) =>
      [...segmenter.segment(paragraph)].map(({ segment }) =>
        segment
          .replace(/\s+/g, ' ')
          .replace(/^[*_]+\s+/, '')
          .trim(),
      ),
    )
    .filter(Boolean);
}

/** Whether a line of `sentencesOf` is a heading: short, without an end, and no row or item of a list. */
export function isHeading(sentence: string): boolean {
  return sentence.length <= HEADING_LENGTH && !/[.!?;,؟۔…|]["')\]»”]*$/.test(sentence) && !/^[-*•|]/.test(sentence);
}
