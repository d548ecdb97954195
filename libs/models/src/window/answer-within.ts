import { BadGatewayError } from '@app/common';
import type { AnswerStream, LanguageModel, ModelRequest } from '@app/integrations';
import { estimatePromptTokens } from '../calls/token-estimate.js';
import { contextTokensOf } from './context-budget.js';
import { isTooLong } from '../calls/too-long.js';
import { CUT_NOTE, FILTERED_NOTE, isCutShort } from './early-ends.js';

/** Further calls of an endpoint that says that it takes less than was sent. */
const MAX_SHRINKS = 4;
const SHRINK = 0.6;

export interface BuiltRequest {
  request: ModelRequest;
  /** Told before the answer, such as that only a part of the question was read; '' for nothing. */
  notice: string;
  /** Whether it goes on behind what was told already: then there may be nothing more to say. */
  goesOn?: boolean;
}

/** How large a window to fill after an endpoint has refused `sent` as too long; null: it was asked often enough. */
export function smallerWindow(contextTokens: number, sent: ModelRequest, refusals: number): number | null {
  if (refusals > MAX_SHRINKS) return null;
  return Math.floor(Math.min(contextTokens, estimatePromptTokens(sent)) * SHRINK);
}

/**
 * The answer to a request that fits the model's window. Where the endpoint takes less than its setting or our estimate
 * says, it is sent less. One that ends before it is over says so in its last line, and none at all is a failure of the
 * endpoint: a reader cannot tell either from what the model meant to say.
 * @param build the request for a window of so many tokens, prompt and answer together; what it throws, the stream throws
 */
export function answerWithin(model: LanguageModel, build: (contextTokens: number) => BuiltRequest): AnswerStream {
  let stream: AnswerStream | null = null;
  async function* pieces(): AsyncGenerator<string, void> {
    let contextTokens = contextTokensOf(model.descriptor);
    for (let refusals = 1; ; refusals += 1) {
      let built = build(contextTokens);
      const taken = model.takes(built.request.usage?.userId);
      if (taken < contextTokens) {
        contextTokens = taken;
        built = build(contextTokens);
      }
      const { request, notice, goesOn = false } = built;
      let hasBegun = false;
      // Blanks alone are no answer; they wait for a word, unless they go on behind one.
      let blanks = '';
      try {
        stream = model.streamAnswer(request);
        for await (const piece of stream) {
          if (!hasBegun && !goesOn && piece.trim() === '') {
            blanks += piece;
            continue;
          }
          if (!hasBegun && notice !== '') yield notice;
          hasBegun = true;
          yield blanks + piece;
          blanks = '';
        }
        const end = endOf(stream);
        if (end?.reason === 'content_filter') yield hasBegun ? FILTERED_NOTE : FILTERED_NOTE.trimStart();
        else if (!hasBegun && !goesOn) throw new BadGatewayError('The model gave no answer.', { code: 'model_error' });
        else if (isCutShort(end, model.descriptor.maxOutputTokens)) yield CUT_NOTE;
        return;
      } catch (error) {
        const smaller = hasBegun || !isTooLong(error) ? null : smallerWindow(contextTokens, request, refusals);
        if (smaller === null) throw error;
        contextTokens = smaller;
      }
    }
  }
  const iterator = pieces();
  return {
    [Symbol.asyncIterator]: () => iterator,
    usage: () => stream?.usage() ?? null,
    answeredBy: () => stream?.answeredBy?.() ?? null,
    reason: () => stream?.reason?.() ?? null,
  };
}

function endOf(stream: AnswerStream) {
  const reason = stream.reason?.() ?? null;
  return reason === null ? null : { reason, usage: stream.usage() };
}
