import type { ReadAttachment } from '../secure/secure-messages.js';
import { cutLine, cutMiddle } from './bounded-text.js';
import { delimit } from '../prompts/delimiters.js';
import { estimateTokens } from './tokens.js';
import type { FoundSource } from './tool.js';

/** A file that came with the question, and what names it in calls of tools. */
export type OpenedFile = ReadAttachment & { file: string; uid: string | null; mediaPath: string | null };

/** The passages of a long file that fit the question. */
export type FindPassages = (uids: readonly string[]) => Promise<FoundSource[]>;

const WHOLE_TOKENS = 12_000;
const CONTEXT_SHARE = 0.3;
const LEAST_SHARE = 300;
const SHOWN_NAME = 120;
const PAGE_CHARACTERS = 12_000;

/**
 * The question as the model gets it: before it the notes of the platform and the attached files, whole where they are
 * short, otherwise their first pages and the passages that fit the question.
 */
export async function openingText(
  notes: string,
  question: string,
  files: readonly OpenedFile[],
  findPassages: FindPassages,
  cite: (source: FoundSource) => number,
  contextTokens: number,
): Promise<string> {
  const texts: string[] = [];
  const long: string[] = [];
  const readable = files.filter(({ kind }) => kind === 'text').length;
  const share = Math.max(
    LEAST_SHARE,
    Math.floor(Math.min(WHOLE_TOKENS, contextTokens * CONTEXT_SHARE) / Math.max(1, readable)),
  );
  for (const file of files) {
    if (file.kind === 'image') texts.push(`Attached image: ${named(file)}.`);
    else if (file.kind === 'unreadable')
      texts.push(
        `Attached file ${named(file)}, whose text is not at hand: ${file.reason} A tool may be able to read it.`,
      );
    else {
      const { text, shown } = firstPages(file, share, cite);
      const isWhole = shown >= file.pages.length;
      if (!isWhole && file.uid !== null) long.push(file.uid);
      const note = isWhole
        ? ''
        : ` These are its first ${shown} of ${file.pageCount} pages; read or search the rest with tools where it matters.`;
      texts.push(`Attached file ${named(file)}.${note}\n${delimit(text, `attached file ${file.name}`)}`);
    }
  }
  const passages = long.length > 0 ? await findPassages(long) : [];
  if (passages.length > 0) {
    const lines = passages.map(
      (source) =>
        `[${cite(source)}] ${source.filename}${source.page === null ? '' : `, page ${source.page}`}: ${source.text}`,
    );
    texts.push(`Passages of the attached files that fit the question:\n${delimit(lines.join('\n\n'), 'passages')}`);
  }
  return [...(notes === '' ? [] : [notes]), ...texts, question].join('\n\n');
}

function firstPages(
  file: Extract<OpenedFile, { kind: 'text' }>,
  tokens: number,
  cite: (source: FoundSource) => number,
): { text: string; shown: number } {
  const lines: string[] = [];
  let left = tokens;
  for (const { page, text } of file.pages) {
    const short = cutMiddle(text, PAGE_CHARACTERS);
    const cost = estimateTokens(short);
    if (cost > left && lines.length > 0) break;
    left -= cost;
    const { uid, name, mediaPath } = file;
    const number = uid === null ? '' : `[${cite({ uid, filename: name, page, text, path: mediaPath })}] `;
    lines.push(`${number}(page ${page})\n${short}`);
  }
  return { text: lines.join('\n\n'), shown: lines.length };
}

/** Names are given by whoever made the file. */
function named({ name, uid, file }: OpenedFile): string {
  return `${JSON.stringify(cutLine(name, SHOWN_NAME))} (${uid === null ? `path ${JSON.stringify(file)}` : `uid ${uid}`})`;
}
