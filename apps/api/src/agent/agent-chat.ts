import { findOwnTurn, SessionTitles, Turns, type TurnView } from '@app/agents';
import { ConflictError, cutText, InvalidRequestError, NotFoundError } from '@app/common';
import { ModelChoice } from '@app/models';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { questionOf } from '../chats/question.js';
import { AttachedFiles } from '../secure-gpt/attached-files.js';
import type { AgentChatRequest, RegenerateRequest, ReplyRequest } from './agent-chat.dto.js';

/** Turns of the agent as its users begin, answer and repeat them. Every method is scoped to the user. */
@Injectable()
export class AgentChat {
  constructor(
    private readonly dataSource: DataSource,
    private readonly turns: Turns,
    private readonly models: ModelChoice,
    private readonly titles: SessionTitles,
    private readonly files: AttachedFiles,
  ) {}

  /**
   * Begins a turn, or answers the one that waits for a word.
   * @returns its id. @throws what is wrong with the call before anything is stored, and what `Turns.begin` throws
   */
  async begin(userId: number, body: AgentChatRequest): Promise<string> {
    const question = questionOf(body.message);
    await this.models.require(userId, body.llm_model_id);
    const attachedFiles = (body.attached_files ?? []).map(toAttachment);
    const fileUids = body.file_uids ?? [];
    await this.files.requireReadable(userId, [...attachedFiles.map(({ file }) => file), ...fileUids]);
    const begun = await this.turns.begin({
      userId,
      kind: 'chat',
      conversation: { conversationId: body.conversation_id, sessionId: body.chat_session_id ?? undefined },
      question,
      handler: 'agent',
      request: {
        reasoningEffort: body.reasoning_effort ?? null,
        llmModelId: body.llm_model_id ?? null,
        attachedFiles,
        fileUids,
      },
      clientTurnId: body.client_turn_id ?? undefined,
      repliesToWaiting: true,
    });
    if (!begun.isRepeat && !begun.isReply) await this.titles.askFor(begun.sessionId);
    return begun.turnId;
  }

  /** Answers a question of a turn. @throws InvalidRequestError `reply_required`; what `Turns.reply` throws */
  async reply(userId: number, body: ReplyRequest): Promise<string> {
    const { turn_id: turnId, request_id: requestId, reply, choice, values } = body;
    const said = {
      ...(reply === undefined ? {} : { message: reply }),
      ...(choice === undefined ? {} : { choice }),
      ...(values === undefined ? {} : { values }),
    };
    if (Object.keys(said).length === 0)
      throw new InvalidRequestError('A reply or a choice is required.', { code: 'reply_required' });
    const { pending } = await this.turns.get(userId, turnId);
    if (pending?.request_id === requestId && pending.kind === 'approval') requireChoice(pending.options, choice);
    await this.turns.reply(userId, turnId, requestId, said);
    return turnId;
  }

  /**
   * Asks the last question of a conversation again; the former turn leaves the conversation.
   * @throws NotFoundError `turn_not_found`; ConflictError `turn_not_last`, `turn_not_repeatable`
   */
  async regenerate(userId: number, body: RegenerateRequest): Promise<string> {
    const turn = await findOwnTurn(this.dataSource, userId, body.turn_id);
    if (!turn) throw new NotFoundError('There is no such turn.', { code: 'turn_not_found' });
    const { handler } = turn;
    if (handler === '' || handler === 'secure' || handler === 'dedicated-agent' || turn.question.startsWith('enc:v1:'))
      throw new ConflictError('This turn cannot be asked again from here.', { code: 'turn_not_repeatable' });
    await this.models.require(userId, body.llm_model_id);
    const llmModelId = body.llm_model_id ?? null;
    const model = llmModelId === null ? {} : { llmModelId };
    const { turnId } = await this.turns.begin({
      userId,
      kind: turn.kind,
      conversation: { sessionId: turn.session_id },
      question: turn.question,
      handler,
      request: { ...turn.request, ...model },
      clientTurnId: body.client_turn_id ?? undefined,
      replaces: body.turn_id,
    });
    return turnId;
  }

  /** What is at work or waits in a conversation, in the order of the work. */
  queue(userId: number, conversationId: string): Promise<TurnView[]> {
    return this.turns.listUnfinished(userId, conversationId);
  }
}

function toAttachment(file: Record<string, unknown>): { file: string; name: string } {
  const named = file.uid ?? file.path;
  if (typeof named !== 'string' || named === '' || named.length > 2000)
    throw new InvalidRequestError('Each attached file needs a uid or a path.', { code: 'invalid_attachment' });
  return { file: named, name: typeof file.name === 'string' ? cutText(file.name, 255) : '' };
}

/** A slip of the pen must not count as an answer: the first one is final. */
function requireChoice(options: readonly { value: string }[], choice: string | undefined): void {
  const values = options.map(({ value }) => value);
  if (choice === undefined || !values.includes(choice))
    throw new InvalidRequestError(`choice must be one of ${values.join(', ')}.`, { code: 'invalid_choice' });
}
