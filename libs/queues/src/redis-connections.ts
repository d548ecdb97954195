import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';

/** The Redis connections made for Bull, which does not close those that it is given. */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  private readonly open: Redis[] = [];
  private isStopped = false;

  constructor(private readonly url: string) {}

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
