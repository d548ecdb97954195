import { findKeptFile } from '@app/documents';
import { cameWithRun } from '@app/workflows';
import type { StoredFileRow } from '@app/contracts';
import type { DataSource } from 'typeorm';

/** A document that came with the call which started the run; null for any other, and for one that is gone. */
export async function findFileOfRun(
  database: DataSource,
  uid: string,
  runId: string | null | undefined,
): Promise<StoredFileRow | null> {
  if (!runId || !(await cameWithRun(database, uid, runId))) return null;
  return findKeptFile(database, uid);
}
