import { Turns } from '@app/agents';
import { ConflictError } from '@app/common';
import { LiveBus } from '@app/live';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CHAT_SETTINGS, type ChatSettings } from './chat-settings.js';

/** Until Redis, and every replica, has heard who left. */
const SETTLE_MS = 100;
/** Between two looks at a turn that others still follow. */
const LOOK_MS = 5000;

/**
 * Ends answers that nobody waits for. Whoever follows a turn, on any replica and by whatever way, listens to its topic:
 * Redis counts them, and forgets those of a process that died. Such a process does not end what its clients left; the
 * turn ends by itself then, at its time limit at the latest.
 */
@Injectable()
export class TurnFollowers {
  private readonly logger = new Logger(TurnFollowers.name);

  constructor(
    private readonly turns: Turns,
    private readonly live: LiveBus,
    @Inject(CHAT_SETTINGS) private readonly settings: ChatSettings,
  ) {}

  /**
   * A client of the turn is gone: the turn is stopped when nobody else follows it.
   * @param mayReturn then not before the grace period is over
   */
  left(userId: number, turnId: string, mayReturn: boolean): void {
    const graceMs = mayReturn ? this.settings.graceSeconds * 1000 : 0;
    const look = (afterMs: number) =>
      setTimeout(() => {
        this.stopIfAlone(userId, turnId).then(
          (isDone) => void (isDone || look(graceMs + LOOK_MS)),
          (error: unknown) => this.logger.warn(`The turn ${turnId} is not stopped: ${String(error)}`),
        );
      }, afterMs).unref();
    look(graceMs + SETTLE_MS);
  }

  /** @returns whether there is nothing more to look after */
  private async stopIfAlone(userId: number, turnId: string): Promise<boolean> {
    const isFollowed = await this.live.hasListeners(`turn:${turnId}`).catch(() => false);
    if (isFollowed) return false;
    await this.turns.stop(userId, { turnId }).catch((error: unknown) => {
      if (!(error instanceof ConflictError)) throw error;
    });
    return true;
  }
}
