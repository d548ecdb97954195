import {
  type AgentConsole,
  type AgentRunEvent,
  type AgentRunFeed,
  type ConsoleRun,
  END_EVENTS,
} from '@app/dedicated-agent';
import { type ShownEvent, toApprovalFrame, toEndFrames, toShown } from './agent-run-frames.js';
import { type FrameOf, toTelemetry } from './chat-frames.js';
import type { ChatOutlet } from './chat-outlet.js';

export interface ShownRunServices {
  console: AgentConsole;
  feed: AgentRunFeed;
}

type Stage = Extract<ShownEvent, { kind: 'stage' }>;

/**
 * One run of the console on one socket: first what the client has not, then what comes. Of what it missed, the text comes as
 * one snapshot, and the last frame alone has a `seq`: a client that breaks off in between comes back for all of it.
 */
export class ShownRun {
  private readonly of: FrameOf;
  private answer = '';

  /** @param after the client has the frames up to this number. */
  constructor(
    private readonly run: ConsoleRun,
    private readonly outlet: ChatOutlet,
    private readonly services: ShownRunServices,
    private after: number,
  ) {
    this.of = { turnId: run.id, sessionId: run.sessionId };
  }

  /** Until its end was shown, or the signal. May be called again after a failure. */
  async show(signal: AbortSignal): Promise<void> {
    const { console, feed } = this.services;
    const head = await console.head(this.run.id);
    this.after = Math.min(this.after, head);
    this.answer = '';
    const missed: AgentRunEvent[] = [];
    for await (const event of feed.follow(this.run.id, { after: 0, signal })) {
      if (signal.aborted) return;
      if (event === null) continue;
      const shown = toShown(event);
      const offset = this.answer.length;
      if (shown?.kind === 'text') this.answer += shown.text;
      if (event.seq > head) this.tell(event, shown, offset);
      else {
        if (event.seq > this.after) missed.push(event);
        if (event.seq === head) this.catchUp(missed, head);
      }
      this.after = event.seq >= head ? Math.max(this.after, event.seq) : this.after;
      if (event.event in END_EVENTS) return;
    }
  }

  private tell(event: AgentRunEvent, shown: ShownEvent, offset: number): void {
    if (event.seq <= this.after) return;
    const { of, outlet, answer } = this;
    const { seq } = event;
    switch (shown?.kind) {
      case 'text':
        if (shown.text !== '') outlet.piece({ of, offset, text: shown.text, seq, answer });
        return;
      case 'stage':
        return outlet.frame(toTelemetry(of, shown.type, shown.event, seq));
      case 'question':
        return outlet.frame(toApprovalFrame(of, shown.input, seq));
      case 'answered':
        return outlet.frame(toTelemetry(of, 'stage:reply', shown.event, seq));
      case 'end':
        return this.finish(event);
    }
  }

  private catchUp(missed: readonly AgentRunEvent[], head: number): void {
    const { of, outlet } = this;
    const end = missed.find(({ event }) => event in END_EVENTS);
    const open = new Map<string, Record<string, unknown>>();
    const stages: Stage[] = [];
    let hasText = false;
    for (const event of missed) {
      const shown = toShown(event);
      if (shown?.kind === 'text') hasText = true;
      else if (shown?.kind === 'stage') stages.push(shown);
      else if (shown?.kind === 'question') open.set(shown.requestId, shown.input);
      else if (shown?.kind === 'answered') {
        open.delete(shown.requestId);
        stages.push({ kind: 'stage', type: 'stage:reply', event: shown.event });
      }
    }
    const frames: ((seq: number | null) => Buffer)[] = stages.map(
      ({ type, event }) =>
        (seq) =>
          toTelemetry(of, type, event, seq),
    );
    if (hasText) frames.push((seq) => toTelemetry(of, 'stage:partial_answer', { offset: 0, text: this.answer }, seq));
    if (!end) for (const input of open.values()) frames.push((seq) => toApprovalFrame(of, input, seq));
    for (const [at, frame] of frames.entries()) outlet.frame(frame(!end && at === frames.length - 1 ? head : null));
    if (end) this.finish(end);
  }

  private finish(event: AgentRunEvent): void {
    for (const frame of toEndFrames(this.of, event, this.answer)) this.outlet.frame(frame);
  }
}
