import { createHash } from 'node:crypto';

const MAX_LENGTH = 200;

/**
 * An item's id as we keep it: the source's own, or a hash of one that is long. With the source's id before it, it is
 * the document's `external_drive_item_id`, which is at most 255 characters.
 */
export function toItemKey(id: string): string {
  if (id.length <= MAX_LENGTH && !id.includes('\0')) return id;
  return `sha256-${createHash('sha256').update(id).digest('hex')}`;
}

/** `external_drive_item_id` of a document that was imported. */
export function toDriveItemId(sourceId: string, itemKey: string): string {
  return `${sourceId}:${itemKey}`;
}
