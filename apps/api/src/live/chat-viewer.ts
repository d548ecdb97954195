import type { ConversationTurn } from '@app/agents';
import { type FrameOf, toTelemetry } from './chat-frames.js';
import type { ChatMessage } from './chat-message.js';
import { ChatOutlet } from './chat-outlet.js';
import type { LiveSocket } from './live-socket.js';
import { ShownTurn, type ShownTurnServices } from './shown-turn.js';

/** What one client sees of a conversation: every turn from some place on, each from where the client stands. */
export class ChatViewer {
  private readonly outlet: ChatOutlet;
  /** Those of which more may come. */
  private readonly shown = new Map<string, ShownTurn>();
  /** Those that the client has been shown, or is. */
  private readonly known = new Set<string>();
  private readonly toldPositions = new Map<string, number>();
  /** Where a client stands that comes back to a turn. */
  private readonly resumes = new Map<string, number>();
  private past: Promise<void> = Promise.resolve();
  /** By session: settles when everything of the turn that was at work last has been shown. */
  private readonly lastOfSession = new Map<number, Promise<void>>();

  /** @param since turns after this place are shown. */
  constructor(
    private readonly socket: LiveSocket<ChatMessage>,
    private readonly services: ShownTurnServices,
    private place: number,
  ) {
    this.outlet = new ChatOutlet(socket);
  }

  /** Turns after this place are looked at. */
  get since(): number {
    return this.place;
  }

  /** Whether it follows a turn that is under way. */
  get isBusy(): boolean {
    return this.shown.size > 0;
  }

  /** @param turns those after `since`, in order. */
  update(turns: readonly ConversationTurn[]): void {
    for (const turn of turns) {
      if (turn.place <= this.place || this.known.has(turn.id)) continue;
      if (turn.status === 'queued') this.tellPosition(turn);
      else this.show(turn);
    }
    const firstQueued = turns.find(({ status, place }) => status === 'queued' && place > this.place);
    const past = firstQueued ? firstQueued.place - 1 : (turns.at(-1)?.place ?? 0);
    this.place = Math.max(this.place, past);
    for (const [id, turn] of this.shown) if (turn.isOver) this.shown.delete(id);
  }

  /** What came after the end of a turn, and is not in its log. */
  tell(of: FrameOf, eventType: string, event: unknown): void {
    this.outlet.frame(toTelemetry(of, eventType, event, null));
  }

  /** Goes back to a turn, which the next `update` shows after `lastSeq`, with those after it that were not shown. */
  resume(turnId: string, lastSeq: number, place: number): void {
    this.shown.get(turnId)?.end();
    this.shown.delete(turnId);
    this.known.delete(turnId);
    this.resumes.set(turnId, lastSeq);
    this.lastOfSession.clear();
    this.place = Math.min(this.place, place - 1);
  }

  end(): void {
    for (const turn of this.shown.values()) turn.end();
  }

  private show({ id, sessionId, hasStarted }: ConversationTurn): void {
    const { principal } = this.socket;
    const of = { turnId: id, sessionId };
    const after = this.resumes.get(id) ?? 0;
    this.resumes.delete(id);
    this.toldPositions.delete(id);
    // Whoever comes back behind a frame of this turn is not shown the former one again: all of that goes first. A turn that
    // was stopped in the queue is told at once, and is no place to come back to.
    const former = hasStarted ? this.lastOfSession.get(sessionId) : undefined;
    const before = former ? Promise.all([this.past, former]).then(() => undefined) : this.past;
    const isPlace = hasStarted;
    const shown = new ShownTurn(principal.userId, of, this.outlet, this.services, { after, before, isPlace });
    if (hasStarted) this.lastOfSession.set(sessionId, shown.over);
    this.past = shown.caughtUp;
    this.shown.set(id, shown);
    this.known.add(id);
  }

  private tellPosition({ id, sessionId, queuePosition }: ConversationTurn): void {
    if (queuePosition === 0 || this.toldPositions.get(id) === queuePosition) return;
    this.toldPositions.set(id, queuePosition);
    const of = { turnId: id, sessionId };
    this.outlet.frame(toTelemetry(of, 'stage:queued', { position: queuePosition }, null));
  }
}
