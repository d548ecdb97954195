import { derivedId } from '@app/common';
import type { NodeWait } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { qualifiedNodeId } from '../revisions/loop-bodies.js';
import { bodyPathOf } from '../runs/child-runs.js';
import { type QuestionData, toQuestionData } from '../progress/question-data.js';

const MAX_QUESTIONS = 500;

/** A question that waits for an answer. */
export interface OpenQuestion {
  runId: string;
  nodeId: string;
  /** `NodeWait.id`. */
  waitId: string;
  /** What the node is called outside. */
  executionId: string;
  waiting: NodeWait;
  data: QuestionData;
}

/** The questions of all active runs of a workflow: the current one, and those that other runs started. */
@Injectable()
export class OpenQuestions {
  constructor(private readonly dataSource: DataSource) {}

  /** For a caller who has checked access. Those of the current run first, then the oldest. */
  async list(workflowId: string): Promise<OpenQuestion[]> {
    const rows = await this.dataSource.query<
      { run_id: string; version: number; node_id: string; waiting: NodeWait; body_path: string[] | null }[]
    >(
      `SELECT c.id AS run_id, c.version, n.node_id, n.waiting, ${bodyPathOf('c')} AS body_path
       FROM workflow_runs c JOIN workflow_run_nodes n ON n.run_id = c.id
       WHERE c.workflow_id = $1 AND c.status = 'RUNNING' AND n.status = 'WAITING' AND n.waiting ? 'question'
         AND NOT n.waiting ? 'answer' AND NOT EXISTS (
           SELECT 1 FROM workflow_signals s
           WHERE s.run_id = n.run_id AND s.node_id = n.node_id AND s.wait_id = n.waiting->>'id')
       ORDER BY c.is_concurrent, c.version, n.node_id LIMIT ${MAX_QUESTIONS}`,
      [workflowId],
    );
    return rows.flatMap(({ run_id: runId, version, node_id: nodeId, waiting, body_path: bodyPath }) => {
      const data = toQuestionData({ runId, version }, nodeId, waiting);
      const executionId = derivedId(workflowId, qualifiedNodeId(bodyPath ?? [], nodeId));
      return data ? [{ runId, nodeId, waitId: waiting.id!, executionId, waiting, data }] : [];
    });
  }
}
