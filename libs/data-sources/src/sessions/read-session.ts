import type { Socket } from 'node:net';
import type { SourceResult, SourceStatement } from '../shapes/result-shapes.js';
import { SourceFailure } from '../shapes/source-failure.js';
import type { StoredSource } from '../sources/stored-source.js';
import type { BoundStatement } from '../statements/bind-placeholders.js';
import { isUnreachable } from './open-socket.js';
import type { ResultBounds } from './result-collector.js';
import type { SessionLimits } from './session-limits.js';
import { watchBytes } from './watched-socket.js';

/** Where a session leads, and what it may cost. */
export interface SessionPlace {
  socket: Socket;
  source: StoredSource;
  /** That the guard has checked. */
  address: string;
  limits: SessionLimits;
  signal: AbortSignal;
}

/** A connection to somebody's database that only reads; statements run one after the other, each in a transaction of its own. */
export abstract class ReadSession {
  private isEnded = false;
  private isCut = false;
  private isBusy = false;
  private readonly release: () => void;

  protected constructor(protected readonly place: SessionPlace) {
    const { signal, socket } = place;
    const abort = () => this.cut();
    signal.addEventListener('abort', abort, { once: true });
    this.release = () => signal.removeEventListener('abort', abort);
    socket.on('close', () => (this.isEnded = true));
  }

  /** Whether a further statement may be tried. */
  get isOpen(): boolean {
    return !this.isEnded;
  }

  /** @throws SourceFailure; the signal's reason */
  abstract select(statement: SourceStatement): Promise<SourceResult>;

  /** For statements of ours: not looked at before. @throws SourceFailure; the signal's reason */
  async read(statement: BoundStatement, bounds: ResultBounds = this.place.limits): Promise<SourceResult> {
    const { socket, limits, signal } = this.place;
    const endWatch = watchBytes(socket, limits.bytes);
    this.isBusy = true;
    try {
      await this.begin();
      const result = await this.run(statement, bounds);
      if (this.isOpen) await this.rollBack();
      return result;
    } catch (error) {
      const isTooLarge = endWatch();
      if (this.isOfDatabase(error) && this.isOpen) await this.rollBack().catch(() => this.cut());
      else this.cut();
      signal.throwIfAborted();
      if (isTooLarge) throw new SourceFailure('query_too_large', 'The rows of the query are too large.', error);
      const failure = this.failureOf(error);
      if (!isUnreachable(failure)) throw failure;
      throw new SourceFailure('source_unavailable', 'The connection to the database broke off.', error);
    } finally {
      this.isBusy = false;
      endWatch();
    }
  }

  /** Not the polite way: a database that does not answer would keep us waiting, and nothing is to be committed. */
  async end(): Promise<void> {
    this.release();
    this.isEnded = true;
    this.place.socket.destroy();
    await this.leave();
  }

  /** Ends at the database too what is under way there. */
  protected cut(): void {
    if (this.isCut) return;
    this.isCut = true;
    this.isEnded = true;
    if (this.isBusy) void this.cancel();
    this.place.socket.destroy();
  }

  /** A transaction that only reads. */
  protected abstract begin(): Promise<unknown>;
  protected abstract run(statement: BoundStatement, bounds: ResultBounds): Promise<SourceResult>;
  protected abstract rollBack(): Promise<unknown>;
  /** Whether the database itself said so: the connection goes on. */
  protected abstract isOfDatabase(error: unknown): boolean;
  protected abstract failureOf(error: unknown): SourceFailure;
  /** Over a connection of its own. Never throws. */
  protected abstract cancel(): Promise<void>;
  /** What the driver holds is let go. */
  protected abstract leave(): Promise<void>;
}
