import type { RowRecord } from '@app/extraction';

/** A row as the table shows it. */
export function toToldRow({ id, sourceUid, data, filename, createdAt, updatedAt, processedAt }: RowRecord) {
  return {
    row_id: id,
    source_uid: sourceUid,
    ...{ data, filename },
    created_at: createdAt,
    updated_at: updatedAt,
    processed_at: processedAt,
  };
}
