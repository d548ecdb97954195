import { findShutOut, type SignedInCaller } from '@app/auth';
import { UnauthenticatedError } from '@app/common';
import { LiveBus } from '@app/live';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import type { ApiRequest } from './api-request.js';

/** Of a revocation that was not told: written in SQL, or while Redis was away. */
const LOOK_MS = 5000;

type OpenCall = SignedInCaller & { ended: AbortController };

export interface WatchedAccount {
  /** Aborts with an UnauthenticatedError once the account is deactivated. */
  signal: AbortSignal;
  end(): void;
}

/**
 * Calls that last: who was let in when they began is asked again while they are open. A deactivated account, or a session
 * that was ended, ends them at once where it is told, and else within seconds.
 */
@Injectable()
export class OpenCalls implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(OpenCalls.name);
  private readonly calls = new Set<OpenCall>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => this.lookSoon([...this.calls]), LOOK_MS).unref();
    this.live
      .subscribe('principals', (change) =>
        this.lookSoon(
          [...this.calls].filter(({ userId, sessionId }) =>
            'userId' in change ? change.userId === userId : change.sessionId === sessionId,
          ),
        ),
      )
      .catch((error: Error) => this.logger.warn(`Revocations are looked for only: ${error.message}`));
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Aborts with an UnauthenticatedError (`session_ended`, `account_inactive`) once the caller of this response would not
   * be let in any more; never after the response is closed.
   */
  of(response: Response): AbortSignal {
    const { user } = response.req as ApiRequest;
    const ended = new AbortController();
    if (!user || response.closed) return ended.signal;
    const call = { userId: user.userId, sessionId: user.sessionId, ended };
    this.calls.add(call);
    response.once('close', () => this.calls.delete(call));
    return ended.signal;
  }

  /** For work that goes on when its caller leaves, as long as the account may have it done. Call `end` after it. */
  watch(userId: number): WatchedAccount {
    const call = { userId, sessionId: null, ended: new AbortController() };
    this.calls.add(call);
    return { signal: call.ended.signal, end: () => void this.calls.delete(call) };
  }

  /** Asks now. */
  async look(calls: readonly OpenCall[] = [...this.calls]): Promise<void> {
    if (calls.length === 0) return;
    for (const { caller: call, reason } of await findShutOut(this.dataSource, calls)) {
      this.calls.delete(call);
      call.ended.abort(reason === 'session' ? sessionEnded() : accountInactive());
    }
  }

  private lookSoon(calls: readonly OpenCall[]): void {
    this.look(calls).catch((error: unknown) => this.logger.warn(`Open calls were not looked at: ${String(error)}`));
  }
}

const sessionEnded = () =>
  new UnauthenticatedError('Your session has ended. Sign in again.', { code: 'session_ended' });
const accountInactive = () => new UnauthenticatedError('Your account was deactivated.', { code: 'account_inactive' });
