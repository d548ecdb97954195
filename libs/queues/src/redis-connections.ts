import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';

/** The Redis connections made for Bull, which does not close those that it is given. */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  private readonly open: Redis[] = [];
  private readonly sharedBy = new Map<string, Redis>();
  private isStopped = false;

  constructor(private readonly url: string) {}

  /**
   * One for all queues of this process, where nobody blocks on it: there are as many queues as kinds of work, and Redis
   * holds only so many connections of all processes.
   */
  shared(purpose: 'asking' | 'working' | 'listening', options: RedisOptions): Redis {
    const known = this.sharedBy.get(purpose);
    if (known) return known;
    const connection = this.connect(options);
    // Each queue listens to it.
    connection.setMaxListeners(0);
    this.sharedBy.set(purpose, connection);
    return connection;
  }

  connect(options: RedisOptions): Redis {
    const connection = new Redis(this.url, { ...options, lazyConnect: this.isStopped });
    // Bull opens some when others are ready, which may be after the stop, and closes none of them.
    if (this.isStopped) connection.disconnect();
    else this.open.push(connection);
    return connection;
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    for (const connection of this.open) {
      // Bull rejects a promise that nobody holds (lib/worker.js) when a connection ends that it still waits for.
      if (connection.status !== 'ready') connection.removeAllListeners('end');
      connection.disconnect();
    }
  }
}
