import type { StorageUsage } from '@app/entitlements';
import { IntegerField } from '../http/fields.js';

export class StorageResponse {
  @IntegerField({
    description: 'Bytes of documents (also in the trash), table files and files that workflows wrote.',
    max: Number.MAX_SAFE_INTEGER,
  })
  used_bytes: number;

  @IntegerField({ description: 'Bytes that uploads under way will take.', max: Number.MAX_SAFE_INTEGER })
  reserved_bytes: number;

  @IntegerField({ nullable: true, description: 'Null for no limit.', max: Number.MAX_SAFE_INTEGER })
  limit_bytes: number | null;

  @IntegerField({
    nullable: true,
    description: 'What is left; null where nothing is refused.',
    max: Number.MAX_SAFE_INTEGER,
  })
  available_bytes: number | null;
}

export function toStorageResponse({ used, reserved, limit, isEnforced }: StorageUsage): StorageResponse {
  const available = limit === null || !isEnforced ? null : Math.max(0, limit - used - reserved);
  return { used_bytes: used, reserved_bytes: reserved, limit_bytes: limit, available_bytes: available };
}
