import { StorageLimitExceededError } from './storage-limit-exceeded.error.js';

describe('StorageLimitExceededError', () => {
  it('says in words what is needed and what is left, and in bytes for programs', () => {
    const GB = 1024 ** 3;
    const error = new StorageLimitExceededError({ wanted: 2.5 * GB, available: 700, limit: 50 * GB });
    expect(error.code).toBe('storage_limit_exceeded');
    expect(error.message).toMatch(/^There is no room for this: 2\.5 GB are needed, 700 bytes of 50 GB are left\./);
    expect(error.extra).toEqual({ available_bytes: 700, limit_bytes: 50 * GB });
  });

  it('never rounds up what is left', () => {
    const error = new StorageLimitExceededError({ wanted: 2048, available: 1024 * 1024 - 1, limit: 1024 ** 2 });
    expect(error.message).toContain('1023.9 KB of 1 MB');
  });

  it.each([
    [0, '0 bytes'],
    [1023, '1023 bytes'],
    [1024, '1 KB'],
    [1024 ** 2, '1 MB'],
    [1024 ** 3 - 1, '1023.9 MB'],
    [1024 ** 4, '1 TB'],
    [3.5 * 1024 ** 5, '3584 TB'],
  ])('says %d bytes as %s', (wanted, words) => {
    const { message } = new StorageLimitExceededError({ wanted, available: 0, limit: 1 });
    expect(message).toBe(
      `There is no room for this: ${words} are needed, 0 bytes of 1 bytes are left. Delete files you no longer need, also from the trash.`,
    );
  });
});
