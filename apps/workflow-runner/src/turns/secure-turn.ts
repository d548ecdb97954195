import {
  continuationMessages,
  continueText,
  SealedText,
  sealedTurnRequest,
  secureRequest,
  secureSystemPrompt,
  secureTurnRequest,
  TurnHistory,
  type SealedTurnRequest,
  type SecureTurnRequest,
  type TurnContext,
  type TurnHandler,
  type TurnOutcome,
  withoutPictures,
} from '@app/agents';
import { UnavailableError } from '@app/common';
import type { ModelMessage } from '@app/integrations';
import { answerWithin, estimateTokens, ModelChoice } from '@app/models';
import { Injectable } from '@nestjs/common';
import { SecureTurnAttachments } from '../agent/secure-turn-attachments.js';

const AHEAD = 4_000;

interface SecureQuestion {
  request: SecureTurnRequest;
  question: string;
  history: readonly ModelMessage[];
}

/**
 * A plain conversation with a model (docs/contract/chats.md#plain-and-encrypted-chats). What is told of an encrypted
 * one is sealed.
 */
@Injectable()
export class SecureTurnHandler implements TurnHandler {
  readonly name = 'secure';

  constructor(
    private readonly models: ModelChoice,
    private readonly history: TurnHistory,
    private readonly attachments: SecureTurnAttachments,
    private readonly sealed: SealedText,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { turn, signal } = context;
    const sealedRequest = this.findSealed(context);
    const { request, question, history } = sealedRequest
      ? { request: sealedRequest, question: sealedRequest.question, history: sealedRequest.history }
      : await this.plain(context);
    const model = await this.models.ofTurn(turn, request.llmModelId);
    const { descriptor } = model;
    if (!model.available)
      throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
    const attachments = await this.attachments.read(turn.userId, request.attachments, descriptor);
    const { language, reasoningEffort } = request;
    const published = this.sealed.open(turn.id, context.published.text).text;
    const stream = answerWithin(model, (contextTokens) => {
      const chat = { question, history, attachments, language, model: descriptor };
      const { messages, notice } = secureRequest(chat, contextTokens - estimateTokens(published));
      return {
        request: {
          system: secureSystemPrompt(language),
          messages: [...messages, ...(published === '' ? [] : continuationMessages(published))],
          ...(reasoningEffort && descriptor.supports.reasoning ? { reasoningEffort } : {}),
          usage: { userId: turn.userId, purpose: 'chat', turnId: turn.id },
          signal,
        },
        notice: published === '' ? notice : '',
        goesOn: published !== '',
      };
    });
    await this.publish(context, published, stream, sealedRequest !== null);
    return { usage: stream.usage(), model: stream.answeredBy?.() ?? descriptor.value };
  }

  private findSealed({ turn }: TurnContext): SealedTurnRequest | null {
    const { sealed } = turn.request;
    if (typeof sealed !== 'string') return null;
    return sealedTurnRequest.parse(this.sealed.openRequest(turn.conversationId, sealed));
  }

  private async plain({ turn }: TurnContext): Promise<SecureQuestion> {
    const request = secureTurnRequest.parse(turn.request);
    return { request, question: turn.question, history: await this.history.messages(turn.sessionId, turn.id) };
  }

  private async publish(
    context: TurnContext,
    published: string,
    pieces: AsyncIterable<string>,
    isSealed: boolean,
  ): Promise<void> {
    let offset = published.length;
    let ahead = 0;
    for await (const piece of wholeCharacters(withoutPictures(published, continueText(published, pieces)))) {
      context.text(isSealed ? this.sealed.seal(context.turn.id, offset, piece) : piece);
      offset += piece.length;
      ahead += piece.length;
      if (ahead < AHEAD) continue;
      await context.flush();
      ahead = 0;
    }
  }
}

/** A piece may end in the middle of a character, and what is sealed has to be whole. */
async function* wholeCharacters(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let half = '';
  for await (const piece of pieces) {
    const text = half + piece;
    half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
    const whole = text.slice(0, text.length - half.length);
    if (whole !== '') yield whole;
  }
}
