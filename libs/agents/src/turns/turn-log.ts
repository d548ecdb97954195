import { ClaimLostError } from '@app/work';
import type { EmittedEvent } from './turn-handler.js';
import { turnWork } from './turn-work.js';

/** What Postgres lost in a crash, because pieces of text do not wait for the disk, is written again from here. */
const REMEMBERED_MS = 3000;

export interface LogRow {
  turnId: string;
  seq: number;
  type: string;
  data: unknown;
}

/**
 * The writer's end of one turn's log: events in order, pieces of text joined while they wait. Rows are numbered
 * without gaps, and a number that is taken means that somebody else has the turn: so no lock is needed.
 */
export class TurnLog {
  private waiting: EmittedEvent[] = [];
  private underway: LogRow | null = null;
  private readonly written: { row: LogRow; at: number }[] = [];
  private readonly flushing: { settle: () => void; fail: (error: Error) => void }[] = [];
  /** Half of a character that the next piece completes. */
  private half = '';
  private offset: number;
  private lost: Error | null = null;

  constructor(
    readonly turnId: string,
    readonly attempt: number,
    private seq: number,
    offset: number,
    private readonly onWork: (log: TurnLog) => void,
    private readonly onLost: () => void,
  ) {
    this.offset = offset;
  }

  /** The number of the last row that is written. */
  get lastSeq(): number {
    return this.seq;
  }

  get isLost(): boolean {
    return this.lost !== null;
  }

  get isDirty(): boolean {
    return this.waiting.length > 0 && this.underway === null && this.lost === null;
  }

  append(event: EmittedEvent): void {
    if (this.lost) return;
    this.waiting.push(event);
    this.onWork(this);
  }

  /** @returns what was added: without NUL and broken characters, which Postgres cannot keep. */
  text(piece: string): string {
    const whole = this.half + piece;
    const code = whole.charCodeAt(whole.length - 1);
    this.half = code >= 0xd800 && code <= 0xdbff ? whole.slice(-1) : '';
    const text = whole
      .slice(0, whole.length - this.half.length)
      .replaceAll('\0', '')
      .toWellFormed();
    if (text === '' || this.lost) return '';
    const last = this.waiting.at(-1);
    if (last?.type === 'delta') last.data.text += text;
    else this.waiting.push({ type: 'delta', data: { offset: this.offset, text } });
    this.offset += text.length;
    this.onWork(this);
    return text;
  }

  /** Resolves when everything is written. @throws ClaimLostError */
  flush(): Promise<void> {
    if (this.lost) return Promise.reject(this.lost);
    if (this.waiting.length === 0 && !this.underway) return Promise.resolve();
    return new Promise((settle, fail) => this.flushing.push({ settle, fail }));
  }

  /** The next row, which is under way until `settle`. */
  take(): LogRow {
    const { type, data } = this.waiting.shift()!;
    this.underway = { turnId: this.turnId, seq: this.seq + 1, type, data };
    return this.underway;
  }

  /** The row under way is written. */
  settle(now: number): void {
    const row = this.underway!;
    this.seq = row.seq;
    this.underway = null;
    this.written.push({ row, at: now });
    while (this.written[0]!.at < now - REMEMBERED_MS) this.written.shift();
    if (this.waiting.length > 0) return;
    for (const { settle } of this.flushing.splice(0)) settle();
  }

  /** The last moments, in case that they were lost with the database server; with the row under way. */
  remembered(): LogRow[] {
    return [...this.written.map(({ row }) => row), ...(this.underway ? [this.underway] : [])];
  }

  /** Rows written past the log, by the transaction that ends or suspends the turn. */
  advance(seq: number): void {
    this.seq = seq;
  }

  /** Nothing more is written. */
  lose(): void {
    if (this.lost) return;
    const error = new ClaimLostError({ definition: turnWork, key: [this.turnId] });
    this.lost = error;
    this.waiting = [];
    this.underway = null;
    for (const { fail } of this.flushing.splice(0)) fail(error);
    this.onLost();
  }
}
