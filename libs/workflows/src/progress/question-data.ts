import { derivedId } from '@app/common';
import type { NodeWait, Question, QuestionField } from '@app/workflow-definition';

/** The data of an `agent_response` frame that asks (docs/contract/workflows.md#questions), in wire names. */
export interface QuestionData {
  status: 'question';
  question_id: string;
  message: string;
  input: { kind: Question['kind']; options: Question['options']; fields: QuestionField[]; multiple?: true };
  expires_at: string | null;
  run_version: number;
}

/** What a question is called outside: the same for every replica, another one for every run and every time it is asked. */
export function questionIdOf(runId: string, nodeId: string, waitId: string): string {
  return derivedId(runId, `question:${nodeId}:${waitId}`);
}

/** Null for a wait that asks nothing. */
export function toQuestionData(
  run: { runId: string; version: number },
  nodeId: string,
  { id, question, until }: NodeWait,
): QuestionData | null {
  if (!question || id === undefined) return null;
  const { message, kind, options, fields, multiple } = question;
  return {
    status: 'question',
    question_id: questionIdOf(run.runId, nodeId, id),
    message,
    input: { kind, options, fields, ...(multiple && { multiple }) },
    expires_at: until === undefined ? null : new Date(until).toISOString(),
    run_version: run.version,
  };
}
