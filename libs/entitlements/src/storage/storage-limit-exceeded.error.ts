import { PayloadTooLargeError } from '@app/common';

/**
 * docs/contract/conventions.md#errors: 413 `{detail, code: storage_limit_exceeded}`, with what is left and what there
 * is (bytes).
 */
export class StorageLimitExceededError extends PayloadTooLargeError {
  constructor({ wanted, available, limit }: { wanted: number; available: number; limit: number }) {
    super(
      `There is no room for this: ${inWords(wanted)} are needed, ${inWords(available)} of ${inWords(limit)} are left. Delete files you no longer need, also from the trash.`,
      { code: 'storage_limit_exceeded', extra: { available_bytes: available, limit_bytes: limit } },
    );
  }
}

function inWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const steps = ['KB', 'MB', 'GB', 'TB'];
  let size = bytes / 1024;
  while (size >= 1024 && steps.length > 1) {
    size /= 1024;
    steps.shift();
  }
  // Never more than there is: "0.9 GB", not "1 GB", where less than that is left.
  return `${Math.floor(size * 10) / 10} ${steps[0]}`;
}
