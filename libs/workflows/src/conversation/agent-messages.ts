import { ConflictError, derivedId, NotFoundError, toJsonText } from '@app/common';
import type { Answer, NodeStatus, RunStatus } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { everyNode, qualifiedNodeId } from '../revisions/loop-bodies.js';
import { statusWithoutRow } from '../progress/node-rows.js';
import { RevisionCache } from '../revisions/revision-cache.js';
import { WorkflowAccess } from '../access/workflow-access.js';
import { RunNotifier } from '../runs/run-notifier.js';
import { checkAnswer } from './check-answer.js';
import { type OpenQuestion, OpenQuestions } from './open-questions.js';

export interface AgentMessage {
  workflowId: string;
  /** Of the node's execution row. */
  executionId: string;
  message: string;
  answers: Record<string, unknown> | null;
  attachedFiles: string[];
  /** Sent again, it is the same message. */
  clientMessageId: string | null;
  /** Where several runs ask at the same node: which of them is meant. Null: the current run's, else the oldest. */
  questionId: string | null;
}

/** The value of the signal: what the node gets, and what tells a repetition. */
interface StoredAnswer extends Answer {
  executionId: string;
  clientMessageId: string | null;
}

/** Answers of people to the questions of waiting nodes (docs/contract/workflows.md#questions). Needs no live worker. */
@Injectable()
export class AgentMessages {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly revisions: RevisionCache,
    private readonly questions: OpenQuestions,
    private readonly notifier: RunNotifier,
  ) {}

  /**
   * Only the first answer to a question is taken; that it was taken means that the node goes on with it.
   * @returns the node's status. @throws NotFoundError, ForbiddenError for viewers; ValidationError for an answer that
   * does not fit the question; ConflictError `node_not_waiting` with `node_status`.
   */
  async send(user: { userId: number; username: string }, message: AgentMessage): Promise<NodeStatus> {
    const { workflowId, executionId } = message;
    await this.access.require(user.userId, workflowId, 'run');
    const repeated = await this.findRepeated(user.userId, message);
    if (repeated) return repeated;
    const open = (await this.questions.list(workflowId)).filter((question) => question.executionId === executionId);
    const question = message.questionId ? open.find(({ data }) => data.question_id === message.questionId) : open[0];
    if (!question) return this.refuse(user.userId, message, { asksAnother: open.length > 0 });
    const answer: StoredAnswer = {
      executionId,
      value: checkAnswer(question.waiting.question!, message),
      message: message.message,
      attachedFiles: message.attachedFiles,
      answeredBy: { id: user.userId, username: user.username },
      answeredAt: new Date().toISOString(),
      clientMessageId: message.clientMessageId,
    };
    if (!(await this.write(question, { userId: user.userId, workflowId }, answer)))
      return this.refuse(user.userId, message);
    await this.notifier.notifyOfSignal(question.runId);
    return 'RUNNING';
  }

  /** Something was faster: the very same message, sent twice at once, or another answer. */
  private async refuse(userId: number, message: AgentMessage, { asksAnother = false } = {}): Promise<NodeStatus> {
    const twin = await this.findRepeated(userId, message);
    if (twin) return twin;
    throw await this.notWaiting(message, asksAnother);
  }

  /** The primary key lets one answer, or the deadline, be first; the clock of the database decides when it is too late. */
  private async write(
    { runId, nodeId, waitId }: OpenQuestion,
    { userId, workflowId }: { userId: number; workflowId: string },
    answer: Answer,
  ): Promise<boolean> {
    const [row] = await this.access.writeAs({ userId, workflowId, needed: 'run' }, (tx) =>
      tx.query<{ taken: number }[]>(
        `WITH open AS MATERIALIZED (
         SELECT r.id FROM workflow_runs r JOIN workflow_run_nodes n ON n.run_id = r.id AND n.node_id = $2
         WHERE r.id = $1 AND r.status = 'RUNNING' AND n.status = 'WAITING' AND n.waiting->>'id' = $3
           AND coalesce(to_timestamp((n.waiting->>'until')::double precision / 1000) > clock_timestamp(), true)
         FOR SHARE OF r),
       taken AS (
         INSERT INTO workflow_signals (run_id, node_id, wait_id, value, answered_by_id)
         SELECT open.id, $2, $3, $4::jsonb, $5 FROM open ON CONFLICT DO NOTHING RETURNING 1 AS taken)
       SELECT taken FROM taken`,
        [runId, nodeId, waitId, toJsonText(answer), userId],
      ),
    );
    return row !== undefined;
  }

  /** The status of the node when this very message was taken before. */
  private async findRepeated(
    userId: number,
    { workflowId, executionId, clientMessageId }: AgentMessage,
  ): Promise<NodeStatus | null> {
    if (clientMessageId === null) return null;
    const [twin] = await this.dataSource.query<{ status: NodeStatus }[]>(
      `SELECT n.status FROM workflow_signals s
       JOIN workflow_runs r ON r.id = s.run_id AND r.workflow_id = $1
       JOIN workflow_run_nodes n ON n.run_id = s.run_id AND n.node_id = s.node_id
       WHERE s.answered_by_id = $2 AND s.value->>'clientMessageId' = $3 AND s.value->>'executionId' = $4
       ORDER BY s.created_at DESC LIMIT 1`,
      [workflowId, userId, clientMessageId, executionId],
    );
    if (!twin) return null;
    return twin.status === 'WAITING' ? 'RUNNING' : twin.status;
  }

  private async notWaiting(
    { workflowId, executionId }: AgentMessage,
    asksAnother: boolean,
  ): Promise<ConflictError | NotFoundError> {
    const [row] = await this.dataSource.query<
      { content_revision: number; run_id: string | null; run_revision: number | null; run_status: RunStatus | null }[]
    >(
      `SELECT w.content_revision, r.id AS run_id, r.content_revision AS run_revision, r.status AS run_status
       FROM workflows w LEFT JOIN workflow_runs r ON r.id = w.current_run_id WHERE w.id = $1`,
      [workflowId],
    );
    if (!row) return new NotFoundError();
    const revisions = await Promise.all(
      [...new Set([row.content_revision, row.run_revision ?? row.content_revision])].map((one) =>
        this.revisions.get(workflowId, one),
      ),
    );
    const nodes = revisions.flatMap((revision) => [...everyNode(revision)]);
    const known = nodes.find(({ path, node }) => derivedId(workflowId, qualifiedNodeId(path, node.id)) === executionId);
    if (!known) return new NotFoundError('The workflow has no such node.', { code: 'node_not_found' });
    const [state] = await this.dataSource.query<{ status: NodeStatus; asks: boolean }[]>(
      `SELECT status, coalesce(waiting ? 'question', false) AS asks FROM workflow_run_nodes
       WHERE run_id = $1 AND node_id = $2`,
      [row.run_id, known.path.length === 0 ? known.node.id : null],
    );
    // An answer or the deadline was faster, and no worker has written so yet.
    const isDecided = state?.status === 'WAITING' && state.asks && !asksAnother;
    const status = isDecided ? 'RUNNING' : (state?.status ?? statusWithoutRow(row.run_status));
    return new ConflictError('The node does not wait for an answer.', {
      code: 'node_not_waiting',
      extra: { node_status: status },
    });
  }
}
