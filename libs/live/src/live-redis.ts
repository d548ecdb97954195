import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

const retryStrategy = (tries: number) => Math.min(tries * 100, 2000);

/** The two connections of the live bus, and the names of what it has in Redis. */
@Injectable()
export class LiveRedis implements OnApplicationShutdown {
  private readonly logger = new Logger('Live');
  /** Fails at once while Redis is away. */
  readonly commands: Redis;
  /** Waits for Redis, and subscribes again after a loss. */
  readonly subscriber: Redis;

  constructor(
    redisUrl: string,
    private readonly prefix: string,
  ) {
    const named = (connectionName: string) => ({ connectionName: `${prefix}:${connectionName}`, retryStrategy });
    this.commands = new Redis(redisUrl, { ...named('live'), enableOfflineQueue: false, maxRetriesPerRequest: 1 });
    this.subscriber = new Redis(redisUrl, { ...named('live-subscriber'), maxRetriesPerRequest: null });
    this.commands.on('error', (error) => this.logger.warn(`Redis: ${error.message}`));
    this.subscriber.on('error', (error) => this.logger.debug(`Redis: ${error.message}`));
  }

  channel(topic: string): string {
    return `${this.prefix}:live:${topic}`;
  }

  /** A key of the topic. Keys of one topic lie on one node of a cluster. */
  key(topic: string, kind: string): string {
    return `${this.prefix}:live:{${topic}}:${kind}`;
  }

  onApplicationShutdown(): void {
    this.commands.disconnect();
    this.subscriber.disconnect();
  }
}
