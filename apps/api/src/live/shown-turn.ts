import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationTurns, StoredTurnEvent, TurnQuestion, Turns } from '@app/agents';
import { NotFoundError } from '@app/common';
import { Logger } from '@nestjs/common';
import { type FrameOf, toFinalFrame, toQuestionFrame, toTelemetry } from './chat-frames.js';
import type { ChatOutlet } from './chat-outlet.js';

const RETRY_MS = 1000;

export interface ShownTurnServices {
  turns: Turns;
  rows: ConversationTurns;
}

export interface ShownTurnOrder {
  /** The client has the frames up to this number. */
  after: number;
  /** Settles when the turns before it were shown as far as they are the past. */
  before: Promise<void>;
  /** Whether its frames have a `seq`. */
  isPlace: boolean;
}

type Told = Exclude<StoredTurnEvent, { type: 'delta' | 'end' | 'question' }>;

/**
 * One turn on one socket: first what the client has not, then what comes. Of what it missed, the text comes as one
 * snapshot, and the last frame alone has a `seq`: a client that breaks off in between comes back for all of it.
 */
export class ShownTurn {
  private readonly logger = new Logger(ShownTurn.name);
  private readonly ended = new AbortController();
  private readonly isCaughtUp = Promise.withResolvers<void>();
  private readonly isShown = Promise.withResolvers<void>();
  private answer = '';
  private hasEnded = false;
  /** The client has been sent everything up to here. */
  private sent: number;

  constructor(
    private readonly userId: number,
    private readonly of: FrameOf,
    private readonly outlet: ChatOutlet,
    private readonly services: ShownTurnServices,
    private readonly order: ShownTurnOrder,
  ) {
    this.sent = order.after;
    void order.before
      .then(() => this.show())
      .finally(() => {
        this.hasEnded = true;
        this.isCaughtUp.resolve();
        this.isShown.resolve();
      });
  }

  /** Nothing more is to be shown of it. */
  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Settles when the client has what was told before, or never will. */
  get caughtUp(): Promise<void> {
    return this.isCaughtUp.promise;
  }

  /** Settles when nothing more is to be shown of it. */
  get over(): Promise<void> {
    return this.isShown.promise;
  }

  end(): void {
    this.ended.abort();
    this.isCaughtUp.resolve();
    this.isShown.resolve();
  }

  private async show(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      try {
        await this.follow();
        return;
      } catch (error) {
        if (signal.aborted || error instanceof NotFoundError) return;
        this.logger.warn(`The turn ${this.of.turnId} is not shown for a moment: ${String(error)}`);
        await sleep(RETRY_MS);
      }
    }
  }

  private async follow(): Promise<void> {
    const { turns, rows } = this.services;
    const { turnId } = this.of;
    const { signal } = this.ended;
    const head = await rows.head(turnId);
    // Nothing is kept of how a turn of long ago came about.
    if (head === 0 && (await this.tellFinished())) return;
    if (head === 0) this.isCaughtUp.resolve();
    this.answer = '';
    const missed: StoredTurnEvent[] = [];
    for await (const event of turns.follow(turnId, { after: 0, signal })) {
      if (signal.aborted) return;
      if (event === null) continue;
      if (event.type === 'delta') this.answer = this.answer.slice(0, event.data.offset) + event.data.text;
      if (event.seq > head) {
        await this.tell(event);
        this.sent = event.seq;
        continue;
      }
      if (event.seq > this.sent) missed.push(event);
      if (event.seq < head) continue;
      await this.catchUp(missed, head);
      this.sent = Math.max(this.sent, head);
      this.isCaughtUp.resolve();
    }
  }

  /** @returns whether the turn is over. */
  private async tellFinished(): Promise<boolean> {
    const view = await this.services.turns.get(this.userId, this.of.turnId);
    const isOver = view.status === 'completed' || view.status === 'failed' || view.status === 'interrupted';
    if (isOver) this.outlet.frame(toFinalFrame(this.of, view, null));
    return isOver;
  }

  private async catchUp(missed: readonly StoredTurnEvent[], head: number): Promise<void> {
    const hasText = missed.some(({ type }) => type === 'delta');
    const asked = missed.findLast((event) => event.type === 'question');
    const isAnswered = missed.some(({ type, seq }) => asked && seq > asked.seq && (type === 'reply' || type === 'end'));
    const question = asked && !isAnswered ? asked : null;
    const end = missed.at(-1)?.type === 'end';
    const told = missed.filter((event): event is Told => !['delta', 'question', 'end'].includes(event.type));
    const last = end || question || hasText ? null : told.pop();
    for (const event of told) this.stage(event, null);
    if (last) this.stage(last, head);
    if (hasText) this.snapshot(end || question ? null : head);
    if (question) this.ask(question.data as TurnQuestion, head);
    if (end) await this.finish(head);
  }

  private async tell(event: StoredTurnEvent): Promise<void> {
    const { of, outlet } = this;
    if (event.type === 'delta') outlet.piece({ of, ...event.data, seq: event.seq, answer: this.answer });
    else if (event.type === 'question') this.ask(event.data, event.seq);
    else if (event.type === 'end') await this.finish(event.seq);
    else this.stage(event, event.seq);
  }

  private snapshot(seq: number | null): void {
    const event = { offset: 0, text: this.answer };
    this.outlet.frame(toTelemetry(this.of, 'stage:partial_answer', event, seq));
  }

  private ask(question: TurnQuestion, seq: number): void {
    this.outlet.frame(toQuestionFrame(this.of, question, seq));
  }

  private stage(event: Told, seq: number | null): void {
    const [eventType, detail] = toStage(event);
    this.outlet.frame(toTelemetry(this.of, eventType, detail, seq));
  }

  private async finish(seq: number): Promise<void> {
    const view = await this.services.turns.get(this.userId, this.of.turnId);
    const { error } = view;
    const [stage, event] = error
      ? ['stage:error', { message: error.detail, code: error.code }]
      : (['stage:done', null] as const);
    this.outlet.frame(toTelemetry(this.of, stage, event, null));
    this.outlet.frame(toFinalFrame(this.of, view, this.order.isPlace ? seq : null));
  }
}

function toStage(event: Told): [string, unknown] {
  switch (event.type) {
    case 'stage':
      return [event.data.event_type, event.data.event];
    case 'started':
      return ['stage:thinking', event.data.attempt === 1 ? 'Thinking…' : 'Going on…'];
    case 'sources':
      return ['stage:sources', event.data];
    case 'reply':
      return ['stage:reply', event.data];
    case 'queued':
      return ['stage:queued', event.data];
  }
}
