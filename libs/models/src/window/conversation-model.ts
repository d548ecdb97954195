import {
  LanguageModel,
  type AnswerStream,
  type GeneratedAnswer,
  type ModelMessage,
  type ModelRequest,
  type StepRequest,
  type StepStream,
} from '@app/integrations';
import { estimateMessagesTokens, estimateTokens } from '../calls/token-estimate.js';
import { answerWithin, smallerWindow } from './answer-within.js';
import { contextTokensOf, roomFor } from './context-budget.js';
import { isTooLong } from '../calls/too-long.js';
import { latestHistory } from './fit-history.js';
import { fitQuestion, leftOutNotice, type FittedQuestion } from './fit-question.js';

/**
 * A model as a conversation uses it: messages before the one that holds the newest question are history, of which as
 * much is sent as fits, and a question that does not fit is sent in part.
 */
export class ConversationModel extends LanguageModel {
  readonly available: boolean;
  readonly descriptor: LanguageModel['descriptor'];
  private fitted: FittedQuestion;

  constructor(
    private readonly model: LanguageModel,
    private readonly question: string,
  ) {
    super();
    this.available = model.available;
    this.descriptor = model.descriptor;
    this.fitted = { text: question, leftOut: 0 };
  }

  override takes(userId?: number): number {
    return this.model.takes(userId);
  }

  /** What has to be told of the calls so far: that only a part of the question was read; '' for nothing. */
  get notice(): string {
    return leftOutNotice(this.question, this.fitted);
  }

  streamAnswer(request: ModelRequest): AnswerStream {
    const goesOn = request.messages.slice(placeOf(request.messages, this.question)).some(isAnswer);
    return answerWithin(this.model, (contextTokens) => {
      return { request: this.within(request, contextTokens), notice: '', goesOn };
    });
  }

  /** Steps with tools go through as they are: who works in steps keeps what was said itself. */
  streamStep(request: StepRequest): StepStream {
    return this.model.streamStep(request);
  }

  async generate(request: ModelRequest & { outputSchema?: Record<string, unknown> }): Promise<GeneratedAnswer> {
    let contextTokens = Math.min(contextTokensOf(this.descriptor), this.takes(request.usage?.userId));
    for (let refusals = 1; ; refusals += 1) {
      const sent = this.within(request, contextTokens);
      try {
        return await this.model.generate(sent);
      } catch (error) {
        const smaller = isTooLong(error) ? smallerWindow(contextTokens, sent, refusals) : null;
        if (smaller === null) throw error;
        contextTokens = smaller;
      }
    }
  }

  private within<R extends ModelRequest>(request: R, contextTokens: number): R {
    const { system = '', messages } = request;
    const at = placeOf(messages, this.question);
    const [history, newest] = [messages.slice(0, at), messages.slice(at)];
    const room = roomFor(this.descriptor, contextTokens, { system });
    const fitting = this.fitNewest(newest, room);
    const left = room - estimateMessagesTokens(fitting);
    return { ...request, messages: [...latestHistory(history, Math.max(0, left)), ...fitting] };
  }

  private fitNewest(newest: readonly ModelMessage[], room: number): readonly ModelMessage[] {
    const [asked] = newest;
    if (asked?.role !== 'user' || estimateMessagesTokens(newest) <= room) return newest;
    const around = estimateMessagesTokens(newest) - estimateTokens(this.question);
    this.fitted = fitQuestion(this.question, room - around);
    const content = asked.content.replace(this.question, () => this.fitted.text);
    return [{ ...asked, content }, ...newest.slice(1)];
  }
}

const isAnswer = ({ role }: ModelMessage) => role === 'assistant';

/** Of the newest message that holds the question; else of the last one of the user. */
function placeOf(messages: readonly ModelMessage[], question: string): number {
  const holds = messages.findLastIndex(({ role, ...message }) => {
    const { content } = message as { content?: string };
    return role === 'user' && content !== undefined && content.includes(question);
  });
  return holds >= 0
    ? holds
    : Math.max(
        0,
        messages.findLastIndex(({ role }) => role === 'user'),
      );
}
