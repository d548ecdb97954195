import { isUuid } from '@app/common';
import type { DataSource } from 'typeorm';

/** @returns those of the uids that files of the owner have, imported or not */
export async function findKnownTableFiles(
  dataSource: DataSource,
  ownerId: number,
  uids: readonly string[],
): Promise<Set<string>> {
  const rows = await dataSource.query<{ uid: string }[]>(
    'SELECT uid FROM tabular_files WHERE owner_id = $1 AND uid = ANY($2::uuid[])',
    [ownerId, uids.filter(isUuid)],
  );
  return new Set(rows.map(({ uid }) => uid));
}
