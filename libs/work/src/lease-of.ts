/** What a table calls the columns of `LeasedRow` that it has under other names, or not at all. */
export interface LeaseColumns {
  readonly fence: string;
  readonly attempts: string;
  readonly leasedUntil: string;
  readonly nextAttempt: string;
  /** Null: the table keeps none. */
  readonly lastError: string | null;
  /** SQL over `w`: when there is something to do, null when there is nothing. */
  readonly dueAt: string;
  /** SQL: what `leasedUntil` is while nobody is at the row. */
  readonly free: 'NULL' | 'now()';
}

const USUAL: LeaseColumns = {
  fence: 'fence',
  attempts: 'attempts',
  leasedUntil: 'leased_until',
  nextAttempt: 'next_attempt_at',
  lastError: 'last_error',
  dueAt: 'w.next_attempt_at',
  free: 'NULL',
};

export const leaseOf = ({ lease }: { readonly lease?: Partial<LeaseColumns> }): LeaseColumns =>
  lease ? { ...USUAL, ...lease } : USUAL;
