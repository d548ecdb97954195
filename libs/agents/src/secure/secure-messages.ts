import type { ModelDescriptor, ModelImage, ModelMessage } from '@app/integrations';
import { fence, FENCE_RULE } from '../agent/fence.js';
import { estimateMessageTokens, estimateTokens } from '../agent/tokens.js';

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

/** Where a model does not say what it takes. */
const CONTEXT_TOKENS = 32_000;
const ANSWER_TOKENS = 4_000;
/** For the roles, the marks and what the estimate misses. */
const SLACK = 0.9;
/** Of the room beside the question: attachments come first, the history gets what they leave. */
const ATTACHMENT_SHARE = 0.7;

export function secureSystemPrompt(language: string | null): string {
  return [
    'You are a helpful assistant. Answer in Markdown.',
    language === null ? 'Answer in the language of the question.' : `Answer in the language "${language}".`,
    FENCE_RULE,
  ].join('\n');
}

/** What the model is shown: as much of the attachments, page by page, and of the history, from its end, as it takes. */
export function secureMessages({ question, history, attachments, model }: SecureChat): ModelMessage[] {
  const context = model.contextWindow ?? CONTEXT_TOKENS;
  const answer = Math.min(model.maxOutputTokens ?? ANSWER_TOKENS, context / 4);
  const room = Math.max(0, (context - answer) * SLACK - estimateTokens(question) - estimateTokens(FENCE_RULE));
  const texts = attachmentTexts(attachments, room * ATTACHMENT_SHARE);
  const images = attachments.flatMap((attachment) => (attachment.kind === 'image' ? [attachment.image] : []));
  const content = [...texts, question].join('\n\n');
  const asked: ModelMessage = { role: 'user', content, ...(images.length > 0 ? { images } : {}) };
  const left = room + estimateTokens(question) - estimateMessageTokens(asked);
  return [...latest(history, left), asked];
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
    return `${fence(text, `attached file: ${name}`)}${note}`;
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

/** The end of the conversation, from a question on. */
function latest(history: readonly ModelMessage[], tokens: number): ModelMessage[] {
  let left = tokens;
  let from = history.length;
  for (let at = history.length - 1; at >= 0; at--) {
    left -= estimateMessageTokens(history[at]!);
    if (left < 0) break;
    if (history[at]!.role === 'user') from = at;
  }
  return history.slice(from);
}
