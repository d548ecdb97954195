/** What a table calls the columns of `LeasedRow` that it has under other names, or not at all. */
export interface LeaseColumns {
  readonly fence: string;
  readonly attempts: string;
  readonly leaseOwner: string;
  readonly leasedUntil: string;
  readonly nextAttempt: string;
  /** Null: the table keeps none. */
  readonly lastError: string | null;
  /** SQL over `w`: there is something to do on the row. Where it is not given: `dueAt` is not null. */
  readonly isOpen: string;
  /** SQL over an open row `w`: since when, or from when on. */
  readonly dueAt: string;
  /** SQL: what `leasedUntil` is while nobody is at the row. */
  readonly free: 'NULL' | 'now()';
}

const USUAL = {
  fence: 'fence',
  attempts: 'attempts',
  leaseOwner: 'lease_owner',
  leasedUntil: 'leased_until',
  nextAttempt: 'next_attempt_at',
  lastError: 'last_error',
  dueAt: 'w.next_attempt_at',
  free: 'NULL',
} as const;

export function leaseOf({ lease }: { readonly lease?: Partial<LeaseColumns> }): LeaseColumns {
  const columns = { ...USUAL, ...lease };
  return { isOpen: `(${columns.dueAt}) IS NOT NULL`, ...columns };
}
