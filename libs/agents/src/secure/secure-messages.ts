import type { ModelDescriptor, ModelImage, ModelMessage } from '@app/integrations';
import {
  contextTokensOf,
  estimateMessageTokens,
  estimateTokens,
  fitQuestion,
  latestHistory,
  leftOutNotice,
  roomFor,
} from '@app/models';
import { delimit, DELIMITER_RULE } from '../prompts/delimiters.js';

/** A file that came with a message, as far as it can be read. */
export type ReadAttachment = { name: string } & (
  | { kind: 'text'; pages: readonly { page: number; text: string }[]; pageCount: number }
  | { kind: 'image'; image: ModelImage }
  | { kind: 'unreadable'; reason: string }
);

export interface SecureChat {
  question: string;
  /** Oldest first. */
  history: readonly ModelMessage[];
  attachments: readonly ReadAttachment[];
  /** Of the answer; that of the question when null. */
  language: string | null;
  model: ModelDescriptor;
}

/** Of the room beside the question: attachments come first, the history gets what they leave. */
const ATTACHMENT_SHARE = 0.7;
const PER_MESSAGE = 4;

export function secureSystemPrompt(language: string | null): string {
  return [
    'You are a helpful assistant. Answer in Markdown.',
    language === null ? 'Answer in the language of the question.' : `Answer in the language "${language}".`,
    DELIMITER_RULE,
  ].join('\n');
}

/** Of the room, what a long question leaves to the attachments. */
const ATTACHMENT_LEAST = 0.3;

export interface SecureRequest {
  messages: ModelMessage[];
  /** Told before the answer where only a part of the question could be read; '' otherwise. */
  notice: string;
}

/** The messages of `secureRequest` for the model's whole window. */
export function secureMessages(chat: SecureChat): ModelMessage[] {
  return secureRequest(chat).messages;
}

/**
 * What the model is shown: the question, as much of the attachments, page by page, and of the history, from its end, as
 * it takes.
 * @param contextTokens of prompt and answer together
 * @throws InvalidRequestError `context_too_long` where less than a quarter of the question would be read
 */
export function secureRequest(
  { question, history, attachments, language, model }: SecureChat,
  contextTokens = contextTokensOf(model),
): SecureRequest {
  const whole = roomFor(model, contextTokens, { system: secureSystemPrompt(language) });
  const fitted = fitQuestion(question, whole * (attachments.length > 0 ? 1 - ATTACHMENT_LEAST : 1) - PER_MESSAGE);
  const room = whole - estimateTokens(fitted.text);
  const texts = attachmentTexts(attachments, room * ATTACHMENT_SHARE);
  const images = attachments.flatMap((attachment) => (attachment.kind === 'image' ? [attachment.image] : []));
  const content = [...texts, fitted.text].join('\n\n');
  const asked: ModelMessage = { role: 'user', content, ...(images.length > 0 ? { images } : {}) };
  const left = Math.max(0, whole - estimateMessageTokens(asked));
  return { messages: [...latestHistory(history, left), asked], notice: leftOutNotice(question, fitted) };
}

function attachmentTexts(attachments: readonly ReadAttachment[], tokens: number): string[] {
  let left = tokens;
  const inText = attachments.filter(({ kind }) => kind === 'text').length;
  let waiting = inText;
  return attachments.map((attachment) => {
    const { name } = attachment;
    if (attachment.kind === 'image') return `An image is attached: ${JSON.stringify(name)}.`;
    if (attachment.kind === 'unreadable')
      return `A file is attached, ${JSON.stringify(name)}, of which nothing can be read: ${attachment.reason}`;
    const share = left / waiting--;
    const { text, shown } = firstPages(attachment.pages, share);
    left -= estimateTokens(text);
    const { pageCount } = attachment;
    const note =
      shown < pageCount
        ? `\n(The first ${shown} of ${pageCount} pages, as far as they fit; say so where it matters.)`
        : '';
    return `${delimit(text, `attached file: ${name}`)}${note}`;
  });
}

/** Whole pages from the beginning, and of the first one at least a part. */
function firstPages(pages: readonly { page: number; text: string }[], tokens: number): { text: string; shown: number } {
  let left = tokens;
  const shown: string[] = [];
  for (const { page, text } of pages) {
    const own = `[page ${page}]\n${text}`;
    const size = estimateTokens(own);
    if (size <= left) {
      shown.push(own);
      left -= size;
      continue;
    }
    if (shown.length === 0) shown.push(`${own.slice(0, Math.floor((own.length * left) / size))}…`);
    break;
  }
  return { text: shown.join('\n\n'), shown: shown.length };
}
