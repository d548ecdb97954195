import { cutMiddle, InvalidRequestError, languageOf, type AnswerLanguage } from '@app/common';
import { estimateTokens } from '../calls/token-estimate.js';

/** Who reads less than this of a text has not read it: then its writer is told how long it may be instead. */
const LEAST_SHARE = 0.25;
/** For the line that says what was left out. */
const MARK_TOKENS = 24;

/** The newest question as far as the model can take it. */
export interface FittedQuestion {
  text: string;
  /** Characters that were left out of its middle; 0 for a whole one. */
  leftOut: number;
}

/**
 * A question that is longer than the model can read at once keeps its beginning and its end, where the request often
 * stands, if at least a quarter of it fits.
 * @throws InvalidRequestError `context_too_long`, which says how long it may be
 */
export function fitQuestion(question: string, tokens: number): FittedQuestion {
  const size = estimateTokens(question);
  if (size <= tokens) return { text: question, leftOut: 0 };
  if (tokens < size * LEAST_SHARE) throw questionTooLong(question, tokens, size);
  let kept = question.length;
  const text = cutToTokens(question, tokens - MARK_TOKENS, (whole, length) => {
    kept = length;
    return cutMiddle(whole, length);
  });
  if (text === '') throw questionTooLong(question, tokens, size);
  return { text, leftOut: question.length - kept };
}

/** @param cut gives a text of about `length` characters. @returns one that has at most `tokens` by the estimate, or '' */
export function cutToTokens(text: string, tokens: number, cut: (text: string, length: number) => string): string {
  let short = text;
  let length = text.length;
  for (let size = estimateTokens(text); size > tokens; size = estimateTokens(short)) {
    length = Math.floor(Math.min(length * 0.9, (length * tokens) / size));
    if (length <= 0) return '';
    short = cut(text, length);
  }
  return short;
}

/** What stands before an answer to a question of which only a part could be read; '' where all of it was. */
export function leftOutNotice(
  question: string,
  { leftOut }: FittedQuestion,
  language: AnswerLanguage = languageOf(question),
): string {
  if (leftOut === 0) return '';
  const [whole, read] = [question.length, question.length - leftOut].map((count) => count.toLocaleString('en'));
  return language === 'ar'
    ? `_الرسالة أطول مما يستطيع هذا النموذج قراءته دفعة واحدة: من ${whole} حرفًا قُرئت البداية والنهاية فقط، نحو ${read} حرف._\n\n`
    : `_Your message is longer than this model can read at once: of its ${whole} characters only the beginning and the end were read, about ${read}._\n\n`;
}

function questionTooLong(question: string, tokens: number, size: number): InvalidRequestError {
  const most = Math.max(0, Math.floor((question.length * tokens) / size / 100) * 100);
  return new InvalidRequestError(
    `Your message is longer than this model can read at once: it has ${question.length.toLocaleString('en')} characters, and about ${most.toLocaleString('en')} fit. Shorten it, or upload the text as a document and ask about that.`,
    { code: 'context_too_long' },
  );
}
