import type { DataSource } from 'typeorm';
import type { TabularFileRecord } from '../files/tabular-file-columns.js';

/** The claim was taken over, or the file was deleted: its worker must write nothing more. */
export class ImportClaimLostError extends Error {
  constructor(uid: string) {
    super(`The claim on table file ${uid} is lost.`);
    this.name = 'ImportClaimLostError';
  }
}

/** The right to import one file. Every write carries its fence in the same statement. */
export class ImportClaim {
  constructor(
    private readonly dataSource: DataSource,
    readonly file: TabularFileRecord,
    private readonly leaseSeconds: number,
  ) {}

  get fence(): number {
    return this.file.fence;
  }

  /** Keeps the lease. @param status a sentence for people. @throws ImportClaimLostError */
  async renew(status?: string): Promise<void> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE tabular_files SET lease_expires_at = now() + $3 * interval '1 second', updated_at = now(),
         status = coalesce($4, status)
       WHERE uid = $1 AND fence = $2 AND processing_state = 'processing'`,
      [this.file.uid, this.fence, this.leaseSeconds, status ?? null],
    );
    if (count === 0) throw new ImportClaimLostError(this.file.uid);
  }
}
