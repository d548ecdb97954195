import { Column } from 'typeorm';

/** The columns of rows that background work is done on (libs/work). */
export abstract class LeasedRow {
  /** When there is something to do; null: there is nothing. Declared by each, since some are made with work to do. */
  abstract nextAttemptAt: Date | null;

  /** Tries since the work last got on. */
  @Column('int', { default: 0 })
  attempts: number;

  /** Rises with each claim, and whenever work under way loses its right to write. Never falls. */
  @Column('int', { default: 0 })
  fence: number;

  /** Names the claim and its worker. */
  @Column('text', { nullable: true })
  leaseOwner: string | null;

  @Column('timestamptz', { nullable: true })
  leasedUntil: Date | null;

  /** A sentence for people; '' unless the last try went wrong. */
  @Column('text', { default: '' })
  lastError: string;
}
