import { cutMiddle, nameOfLanguage, type AnswerLanguage } from '@app/common';
import type { LanguageModel, ModelMessage } from '@app/integrations';
import { cutToTokens, estimateMessagesTokens, fitQuestion, latestHistory, leftOutNotice, roomFor } from '@app/models';
import type { CitedPassage } from './cited-passages.js';
import { questionMessage, systemPrompt } from './prompt.js';
import type { QuoteChoice } from './quote-sentences.js';

/** Of the room, what a long question leaves to the passages: without them there is no answer. */
const PASSAGES_LEAST = 0.3;
/** Of what the question leaves, what the passages leave to the history, where they are many. */
const PASSAGES_MOST = 0.75;

export interface DocumentPrompt {
  question: string;
  /** The best ones first within what a citation counts. */
  passages: readonly CitedPassage[];
  /** What of them could be quoted for it. */
  choice: QuoteChoice;
  /** Oldest first. */
  history: readonly ModelMessage[];
  /** Messages after the question, by which an answer goes on. */
  followUp: readonly ModelMessage[];
  /** Of the answer; that of the question when null. */
  language: AnswerLanguage | null;
}

export interface FittedPrompt {
  system: string;
  messages: ModelMessage[];
  /** What the answer may rest on. */
  passages: readonly CitedPassage[];
  /** Told before the answer where only a part of the question could be read; '' otherwise, and where an answer goes on. */
  notice: string;
}

/**
 * What the model is shown within a window: the newest question comes first, then passages from the best on, then as
 * much of the history, from its end, as they leave.
 * @param contextTokens of prompt and answer together
 * @throws InvalidRequestError `context_too_long` where less than a quarter of the question would be read
 */
export function fitPrompt(
  { question, passages, choice, history, followUp, language }: DocumentPrompt,
  model: LanguageModel['descriptor'],
  contextTokens: number,
): FittedPrompt {
  const system = systemPrompt(nameOfLanguage(language, question));
  const room = roomFor(model, contextTokens, { system, followUp });
  const share = passages.length > 0 ? 1 - PASSAGES_LEAST : 1;
  const fitted = fitQuestion(question, room * share - sizeOf('', [], choice));
  const asked = (some: readonly CitedPassage[]) => sizeOf(fitted.text, some, choice);
  const most = history.length > 0 ? PASSAGES_MOST : 1;
  const forPassages = asked([]) + (room - asked([])) * most;
  // What stands around the passages is left out first.
  let shown = asked(passages) <= forPassages ? passages : passages.map((passage) => ({ ...passage, shown: undefined }));
  while (shown.length > 0 && asked(shown) > forPassages) shown = shown.slice(0, -1);
  const [best] = passages;
  const read = shown.length > 0 || !best ? shown : [inPart(best, forPassages - asked([]))];
  const left = Math.max(0, room - asked(read));
  return {
    system,
    messages: [...latestHistory(history, left), questionMessage(fitted.text, read, choice), ...followUp],
    passages: passages.slice(0, read.length),
    notice: followUp.length > 0 ? '' : leftOutNotice(question, fitted, language ?? undefined),
  };
}

const sizeOf = (question: string, passages: readonly CitedPassage[], choice: QuoteChoice) =>
  estimateMessagesTokens([questionMessage(question, passages, choice)]);

/** For the line that names it, and for the one that says what was left out. */
const MARK_TOKENS = 60;

function inPart({ number, hit }: CitedPassage, tokens: number): CitedPassage {
  return {
    number,
    hit: { ...hit, text: cutToTokens(hit.text, Math.max(MARK_TOKENS, tokens - MARK_TOKENS), cutMiddle) },
  };
}
