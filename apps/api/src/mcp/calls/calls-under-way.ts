import type { Principal } from '@app/auth';
import { RateLimitedError } from '@app/common';
import { LiveBus } from '@app/live';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';

/** Of one user, in one process. */
const MOST_PER_USER = 8;
const RETRY_SECONDS = 5;

export interface CallUnderWay {
  signal: AbortSignal;
  end(): void;
}

/** Which call of which client: request ids are unique only within one. */
export interface CallAddress {
  /** Of the token. */
  sessionId: string;
  /** Of the client: what `initialize` gave it. */
  clientId: string;
  requestId: string | number;
}

/**
 * Calls of tools that are at work in this process. Clients take them back by a message of its own, which may reach any
 * replica, so that it is passed on to all.
 */
@Injectable()
export class CallsUnderWay implements OnModuleInit {
  private readonly logger = new Logger(CallsUnderWay.name);
  private readonly calls = new Map<string, AbortController>();
  private readonly perUser = new Map<number, number>();

  constructor(private readonly live: LiveBus) {}

  onModuleInit(): void {
    this.live
      .subscribe('mcp:cancelled', (address) =>
        this.calls.get(keyOf(address))?.abort(new Error('The client cancelled it.')),
      )
      .catch((error: Error) => this.logger.warn(`Cancelled calls are not heard of: ${error.message}`));
  }

  /** @throws RateLimitedError when the user has too many at work */
  begin({ userId }: Principal, address: CallAddress): CallUnderWay {
    const count = this.perUser.get(userId) ?? 0;
    if (count >= MOST_PER_USER)
      throw new RateLimitedError(`At most ${MOST_PER_USER} calls can be at work at a time.`, RETRY_SECONDS);
    this.perUser.set(userId, count + 1);
    const controller = new AbortController();
    const key = keyOf(address);
    this.calls.set(key, controller);
    return {
      signal: controller.signal,
      end: () => {
        if (this.calls.get(key) === controller) this.calls.delete(key);
        const left = (this.perUser.get(userId) ?? 1) - 1;
        if (left > 0) this.perUser.set(userId, left);
        else this.perUser.delete(userId);
      },
    };
  }

  cancel(address: CallAddress): void {
    this.live.publish('mcp:cancelled', address);
  }
}

function keyOf({ sessionId, clientId, requestId }: CallAddress): string {
  return JSON.stringify([sessionId, clientId, requestId]);
}
