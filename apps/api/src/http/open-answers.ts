import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';

const SETTING = 'atrium open answers';
const LOOK_MS = 25;
/** Whoever sends calls here sends none for so long once it has noticed. */
const QUIET_MS = 400;
/** Health checks come for as long as the process answers. */
const HEALTH = /^\/(healthz|readyz)\/?$/;

/**
 * The answers that this process owes, so that an api that stops knows whom it still has to serve: those whose caller
 * waits for an end, and followers, who would be there for ever and go on elsewhere from where they were.
 */
export class OpenAnswers {
  private readonly awaited = new Set<Response>();
  private readonly followers = new Map<Response, () => void>();
  private isLeaving = false;
  private lastAsked = 0;

  /** Whether each answer is the last of its connection: the client's next one leads elsewhere. */
  get leaving(): boolean {
    return this.isLeaving;
  }

  /** @param app where `followUntilLeft` finds it */
  keep(app: { set(name: string, value: unknown): unknown }): void {
    app.set(SETTING, this);
  }

  add(response: Response): void {
    if (!HEALTH.test(response.req.path)) this.lastAsked = performance.now();
    this.awaited.add(response);
    response.on('close', () => {
      this.awaited.delete(response);
      this.followers.delete(response);
    });
    if (this.isLeaving) sayGoodBye(response);
  }

  /** @param leave ends the answer where a follower can take it up again */
  follow(response: Response, leave: () => void): void {
    if (response.closed) return;
    this.awaited.delete(response);
    this.followers.set(response, leave);
  }

  /** From now on; also the answers that are being made. */
  leave(): void {
    this.isLeaving = true;
    for (const response of this.awaited) sayGoodBye(response);
  }

  /** Followers are sent elsewhere. */
  endFollowers(): void {
    for (const leave of this.followers.values()) leave();
    this.followers.clear();
  }

  /**
   * Resolves when no calls come any more, or the signal aborts. A busy process hears late of calls that wait in its
   * sockets, and its load balancer hears late of it: only silence tells that all have noticed.
   */
  async unasked(signal: AbortSignal): Promise<void> {
    const since = performance.now();
    do await sleep(LOOK_MS);
    while (!signal.aborted && performance.now() - Math.max(since, this.lastAsked) < QUIET_MS);
  }

  /** Resolves when nobody waits for an answer, or the signal aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    while (this.awaited.size > 0 && !signal.aborted) await sleep(LOOK_MS);
  }
}

/** What has come this far is served: whoever sent it may not send it again. */
function sayGoodBye(response: Response): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** For answers without an end of their own: they do not hold up a stop, which calls `leave` in its turn. */
export function followUntilLeft(response: Response, leave: () => void): void {
  (response.app.get(SETTING) as OpenAnswers).follow(response, leave);
}
