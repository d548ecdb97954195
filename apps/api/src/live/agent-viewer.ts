import type { Turns } from '@app/agents';
import { AutoResetEvent } from '@app/common';
import type { ConsoleRun } from '@app/dedicated-agent';
import { Logger } from '@nestjs/common';
import { type FrameOf, toTelemetry } from './chat-frames.js';
import type { ChatMessage, ChatPlace } from './chat-message.js';
import { ChatOutlet } from './chat-outlet.js';
import type { LiveSocket } from './live-socket.js';
import { showNotice } from './shown-notice.js';
import { ShownRun, type ShownRunServices } from './shown-run.js';

const RETRY_MS = 1000;
/** What no message told is noticed after this long. */
const LOOK_MS = 15_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

export interface AgentViewerServices extends ShownRunServices {
  turns: Turns;
}

export interface ViewerHooks {
  /** A run is shown from now on. */
  onRun(run: ConsoleRun): void;
}

/** What one client sees of the console of an agent: one run after the other, each from where the client stands. */
export class AgentViewer {
  private readonly logger = new Logger(AgentViewer.name);
  private readonly outlet: ChatOutlet;
  private readonly woken = new AutoResetEvent();
  private readonly ended = new AbortController();
  private place = { id: FIRST, isIncluded: false };
  /** Where the client stands in the run that is shown next. */
  private after = 0;
  private showing = new AbortController();

  constructor(
    private readonly socket: LiveSocket<ChatMessage>,
    private readonly agentId: string,
    private readonly services: AgentViewerServices,
    private readonly hooks: ViewerHooks,
  ) {
    this.outlet = new ChatOutlet(socket);
  }

  /** @param place where the client stopped; without one, it sees what is at work, and what comes. */
  async begin(place: ChatPlace | null): Promise<void> {
    const present = await this.services.console.findPresent(this.agentId);
    if (present) this.place = { id: present.id, isIncluded: !present.isOver };
    if (place) await this.resume(place);
    void this.showAll();
  }

  /** Goes back to a run, which is shown after that frame, with those after it. */
  async resume({ turnId, lastSeq }: ChatPlace): Promise<void> {
    if (!(await this.services.console.has(this.agentId, turnId))) return;
    this.place = { id: turnId, isIncluded: true };
    this.after = lastSeq;
    this.showing.abort();
    this.woken.set();
  }

  /** There may be something new. */
  look(): void {
    this.woken.set();
  }

  /** What came after the end of a run, and is not in its log. */
  tell(of: FrameOf, eventType: string, event: unknown): void {
    this.outlet.frame(toTelemetry(of, eventType, event, null));
  }

  end(): void {
    this.ended.abort();
    this.showing.abort();
    this.woken.set();
  }

  private async showAll(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted)
      try {
        if (!(await this.showNext())) await this.woken.wait(LOOK_MS * (0.8 + Math.random() * 0.4), signal);
      } catch (error) {
        this.logger.warn(`The runs of an agent are not shown for a moment: ${String(error)}`);
        await this.woken.wait(RETRY_MS, signal);
      }
  }

  /** @returns whether there was one */
  private async showNext(): Promise<boolean> {
    const place = this.place;
    const run = await this.services.console.findNext(this.agentId, place);
    if (place !== this.place) return true;
    if (!run) return false;
    this.place = { id: run.id, isIncluded: true };
    const after = this.after;
    this.after = 0;
    this.hooks.onRun(run);
    const show = this.showerOf(run, after);
    const showing = new AbortController();
    this.showing = showing;
    while (!showing.signal.aborted && !this.ended.signal.aborted)
      try {
        await show(showing.signal);
        break;
      } catch (error) {
        this.logger.warn(`The run ${run.id} is not shown for a moment: ${String(error)}`);
        await this.woken.wait(RETRY_MS, showing.signal);
      }
    if (!showing.signal.aborted) this.place = { id: run.id, isIncluded: false };
    return true;
  }

  private showerOf(run: ConsoleRun, after: number): (signal: AbortSignal) => Promise<void> {
    const { services, outlet } = this;
    const { notice } = run;
    if (notice) {
      const { userId } = this.socket.principal;
      return () => showNotice(run, notice, { turns: services.turns, outlet, userId, after });
    }
    const shown = new ShownRun(run, outlet, services, after);
    return (signal) => shown.show(signal);
  }
}
