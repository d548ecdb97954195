import type { LiveMessages, LiveTopic } from '@app/contracts';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

const retryStrategy = (tries: number) => Math.min(tries * 100, 2000);

type Handler = (message: never) => void;

/**
 * Typed publish and subscribe across processes, over Redis. Delivery is at most once: a message is a doorbell,
 * and who missed one while Redis was away is told so by `onGap`.
 */
@Injectable()
export class LiveBus implements OnApplicationShutdown {
  private readonly logger = new Logger(LiveBus.name);
  private readonly handlers = new Map<string, Set<Handler>>();
  private readonly gapHandlers = new Set<() => void>();
  private readonly publisher: Redis;
  private readonly subscriber: Redis;
  private connectedBefore = false;

  constructor(
    redisUrl: string,
    private readonly prefix: string,
  ) {
    this.publisher = new Redis(redisUrl, { enableOfflineQueue: false, maxRetriesPerRequest: 1, retryStrategy });
    this.subscriber = new Redis(redisUrl, { maxRetriesPerRequest: null, retryStrategy });
    this.publisher.on('error', (error) => this.logger.warn(`Redis: ${error.message}`));
    this.subscriber.on('error', (error) => this.logger.debug(`Redis: ${error.message}`));
    this.subscriber.on('message', (channel: string, body: string) => this.dispatch(channel, body));
    this.subscriber.on('ready', () => {
      if (this.connectedBefore) for (const handler of this.gapHandlers) handler();
      this.connectedBefore = true;
    });
  }

  /** Sends and does not wait. Call it after commit. */
  publish<T extends LiveTopic>(topic: T, message: LiveMessages[T]): void {
    this.publisher
      .publish(this.channel(topic), JSON.stringify(message))
      .catch((error: Error) => this.logger.debug(`A message on ${topic} is lost: ${error.message}`));
  }

  /** @returns a function that ends the subscription. */
  async subscribe<T extends LiveTopic>(topic: T, handler: (message: LiveMessages[T]) => void): Promise<() => void> {
    const channel = this.channel(topic);
    const known = this.handlers.get(channel);
    if (known) known.add(handler as Handler);
    else {
      this.handlers.set(channel, new Set([handler as Handler]));
      await this.subscriber.subscribe(channel);
    }
    return () => {
      const handlers = this.handlers.get(channel);
      handlers?.delete(handler as Handler);
      if (handlers?.size !== 0) return;
      this.handlers.delete(channel);
      void this.subscriber.unsubscribe(channel).catch((error: Error) => this.logger.debug(error.message));
    };
  }

  /** Called when the connection is back after a loss: messages may have been missed. */
  onGap(handler: () => void): void {
    this.gapHandlers.add(handler);
  }

  onApplicationShutdown(): void {
    this.publisher.disconnect();
    this.subscriber.disconnect();
  }

  private dispatch(channel: string, body: string): void {
    let message: unknown;
    try {
      message = JSON.parse(body);
    } catch {
      this.logger.warn(`A message on ${channel} is not JSON and is dropped.`);
      return;
    }
    for (const handler of this.handlers.get(channel) ?? []) {
      try {
        handler(message as never);
      } catch (error) {
        this.logger.error(`A handler of ${channel} failed: ${String(error)}`);
      }
    }
  }

  private channel(topic: string): string {
    return `${this.prefix}:live:${topic}`;
  }
}
