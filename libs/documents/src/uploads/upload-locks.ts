import { setTimeout as pause } from 'node:timers/promises';
import { newId, UnavailableError } from '@app/common';
import { Injectable, Logger } from '@nestjs/common';
import type { Lock, Locker, RequestRelease } from '@tus/server';
import { DataSource } from 'typeorm';

/** How long the lock of a killed process holds. */
const LEASE_SECONDS = 10;
const RENEW_MS = 1000;
const LOOK_AGAIN_MS = 200;
/** A request that still writes is asked to stop, and given this long. */
const WAIT_MS = 25_000;

/**
 * One request at a time works on an upload, of whichever replica: two that write would mix their bytes. Whoever comes
 * later is the client that lost its connection and resumes, so the earlier request is asked to give way.
 */
@Injectable()
export class UploadLocks implements Locker {
  private readonly logger = new Logger(UploadLocks.name);

  constructor(private readonly dataSource: DataSource) {}

  newLock(id: string): Lock {
    let held: LeasedLock | null = null;
    return {
      lock: async (signal, requestRelease) => {
        held = await this.acquire(id, signal, requestRelease);
      },
      unlock: async () => held?.release(),
    };
  }

  /** Does what must not be interrupted; others wait. @throws UnavailableError `upload_busy` */
  async hold<T>(id: string, work: () => Promise<T>): Promise<T> {
    const lock = await this.acquire(id, new AbortController().signal, () => undefined);
    try {
      return await work();
    } finally {
      await lock.release();
    }
  }

  private async acquire(id: string, signal: AbortSignal, requestRelease: RequestRelease): Promise<LeasedLock> {
    const token = newId();
    const until = performance.now() + WAIT_MS;
    while (!(await this.take(id, token))) {
      if (signal.aborted || performance.now() > until)
        throw new UnavailableError('Another request is at work on this upload.', { code: 'upload_busy' });
      await pause(LOOK_AGAIN_MS);
    }
    return new LeasedLock(this.dataSource, this.logger, { id, token }, requestRelease);
  }

  private async take(id: string, token: string): Promise<boolean> {
    const [, taken] = await this.dataSource.query<[unknown, number]>(
      `UPDATE resumable_uploads
       SET lock = $2, locked_until = now() + $3 * interval '1 second', lock_wanted = false
       WHERE id = $1 AND (lock IS NULL OR locked_until < now())`,
      [id, token, LEASE_SECONDS],
    );
    if (taken === 1) return true;
    const [, wanted] = await this.dataSource.query<[unknown, number]>(
      'UPDATE resumable_uploads SET lock_wanted = true WHERE id = $1',
      [id],
    );
    // There is no row to lock once it was terminated: then nobody else can be at it.
    return wanted === 0;
  }
}

class LeasedLock {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly dataSource: DataSource,
    private readonly logger: Logger,
    private readonly key: { id: string; token: string },
    private readonly requestRelease: RequestRelease,
  ) {
    this.timer = setInterval(() => void this.renew(), RENEW_MS);
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    await this.dataSource.query(
      'UPDATE resumable_uploads SET lock = NULL, locked_until = NULL WHERE id = $1 AND lock = $2',
      [this.key.id, this.key.token],
    );
  }

  private async renew(): Promise<void> {
    try {
      const [[row]] = await this.dataSource.query<[{ lock_wanted: boolean }[], number]>(
        `UPDATE resumable_uploads SET locked_until = now() + $3 * interval '1 second' WHERE id = $1 AND lock = $2
         RETURNING lock_wanted`,
        [this.key.id, this.key.token, LEASE_SECONDS],
      );
      if (row === undefined || row.lock_wanted) await this.requestRelease();
    } catch (error) {
      this.logger.warn(`The lock on upload ${this.key.id} could not be renewed: ${String(error)}`);
    }
  }
}
