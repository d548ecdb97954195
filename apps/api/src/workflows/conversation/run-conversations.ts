import { type BegunTurn, findTurnOfRun, Turns } from '@app/agents';
import { newId, NotFoundError } from '@app/common';
import { findRunNamed, RunControl } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface ConversedRun {
  workflowId: string;
  payload: Record<string, unknown> | null;
  message: string;
  conversationId: string | null;
}

/**
 * Runs as turns of conversations of kind `workflow` (docs/contract/chats.md#conversations). A turn has the id of its
 * run.
 */
@Injectable()
export class RunConversations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly runs: RunControl,
    private readonly turns: Turns,
  ) {}

  /**
   * Starts the run, for a caller who has checked access, and begins the turn that tells of it. Killed in between, the run
   * goes on without one.
   * @throws ConflictError `run_active`, `queue_full`; ForbiddenError `conversation_claimed`; NotFoundError
   */
  async begin(userId: number, { workflowId, payload, message, conversationId }: ConversedRun): Promise<BegunTurn> {
    const conversation = conversationId ?? newId();
    await this.turns.claim(userId, conversation);
    const runVersion = await this.runs.start(workflowId, { trigger: 'api', userId, payload, supersede: false });
    const run = await findRunNamed(this.dataSource, workflowId, runVersion);
    if (!run) throw new NotFoundError();
    return this.turns.begin({
      id: run.id,
      userId,
      kind: 'workflow',
      conversation: { conversationId: conversation },
      question: message.trim() === '' ? run.name : message,
      handler: 'workflow',
      request: { workflowId, runVersion },
    });
  }

  /** What headers tell of the user's turn. @throws NotFoundError `turn_not_found` */
  async get(userId: number, turnId: string): Promise<{ sessionId: number; runVersion: number }> {
    const turn = await findTurnOfRun(this.dataSource, userId, turnId);
    if (!turn) throw new NotFoundError('There is no such turn.', { code: 'turn_not_found' });
    return turn;
  }
}
