import type { RedisOptions } from 'ioredis';

/** For a connection on which a request waits: it fails at once when Redis is away, and never queues up commands. */
export const failFast: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: 2000,
  connectTimeout: 2000,
  retryStrategy: (tries) => Math.min(tries * 100, 2000),
};

/** For a worker's connections: they wait for Redis to come back, for ever. Bull requires both nulls. */
export const patient: RedisOptions = {
  maxRetriesPerRequest: null,
  enableReadyCheck: false,
  retryStrategy: (tries) => Math.min(tries * 100, 2000),
};

/** For its commands that do not block: what one turn of the event loop asks for shares a write, and so its answer. */
export const grouped: RedisOptions = { ...patient, enableAutoPipelining: true };
