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
});
