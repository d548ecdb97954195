import { Turns } from '@app/agents';
import { NotFoundError } from '@app/common';
import type { ConsoleNotice, ConsoleRun } from '@app/dedicated-agent';
import { toAgentReply } from '../chats/agent-reply.dto.js';
import { toFrame, toTelemetry } from './chat-frames.js';
import type { ChatOutlet } from './chat-outlet.js';

/** What an agent told by itself has one place, at its end. */
const SEQ = 1;

/** One client's view of it. */
export interface NoticeViewer {
  turns: Turns;
  outlet: ChatOutlet;
  userId: number;
  /** The client has the frames up to this number. */
  after: number;
}

export async function showNotice(
  { id, sessionId }: ConsoleRun,
  { jobId, jobName, status, runId }: ConsoleNotice,
  { turns, outlet, userId, after }: NoticeViewer,
): Promise<void> {
  if (after >= SEQ) return;
  const of = { turnId: id, sessionId };
  const about = { run_id: runId, job: { id: jobId, name: jobName, status, run_id: runId } };
  try {
    const view = await turns.get(userId, id);
    const { error, answer } = view;
    if (error) {
      outlet.frame(toFrame(of, { status: 'failed', message: error.detail, code: error.code, answer, ...about }, SEQ));
      return;
    }
    const reply = toAgentReply(view);
    const { generated_files_urls: urls } = reply;
    if (urls.length > 0) outlet.frame(toTelemetry(of, 'stage:files', { urls }, null));
    outlet.frame(toFrame(of, { ...reply, ...about }, SEQ));
  } catch (cause) {
    // Its owner has deleted the conversation.
    if (!(cause instanceof NotFoundError)) throw cause;
  }
}
