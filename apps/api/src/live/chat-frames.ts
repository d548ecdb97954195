import type { TurnQuestion, TurnView } from '@app/agents';
import { toAgentReply } from '../chats/agent-reply.dto.js';

/** What a frame is about. */
export interface FrameOf {
  turnId: string;
  sessionId: number;
}

/**
 * Frames of the chat channel (docs/contract/chats.md#the-channel). `seq` and everything with a turn's name are
 * additions.
 */
export function toTelemetry(of: FrameOf, eventType: string, event: unknown, seq: number | null): Buffer {
  return toFrame(of, { status: 'telemetry', event_type: eventType, event }, seq);
}

/** The turn waits: what its POST would have been answered. */
export function toQuestionFrame(of: FrameOf, question: TurnQuestion, seq: number | null): Buffer {
  const status = question.kind === 'missing_param' ? 'missing_param' : 'clarification';
  return toFrame(of, { status, message: question.message, input: question }, seq);
}

/** The answer, or why there is none: the one frame of a finished turn that is no telemetry. */
export function toFinalFrame(of: FrameOf, view: TurnView, seq: number | null): Buffer {
  const { error } = view;
  if (view.status === 'failed' && error)
    return toFrame(of, { status: 'failed', message: error.detail, code: error.code, answer: view.answer }, seq);
  return toFrame(of, { ...toAgentReply(view) }, seq);
}

export function toFrame({ turnId, sessionId }: FrameOf, data: Record<string, unknown>, seq: number | null): Buffer {
  const place = seq === null ? {} : { seq };
  const all = { ...data, turn_id: turnId, chat_session_id: sessionId, ...place };
  return Buffer.from(JSON.stringify({ type: 'agent_response', node_id: 'chat', data: all }));
}
