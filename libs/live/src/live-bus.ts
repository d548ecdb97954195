import { setTimeout as sleep } from 'node:timers/promises';
import { isLiveEvent, type LiveMessages, type LiveTopic, type WorkflowLiveMessage } from '@app/contracts';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { LiveEventLog } from './live-event-log.js';
import { LiveRedis } from './live-redis.js';

/** How long a start waits for Redis. */
const MOST_WAITED_MS = 2000;

type Handler = (message: never) => void;

interface Outgoing {
  topic: LiveTopic;
  message: unknown;
}

interface Channel {
  handlers: Set<Handler>;
  subscribed: Promise<unknown>;
}

/**
 * Typed publish and subscribe across processes, over Redis. Delivery is at most once: a message only wakes,
 * and who missed one while Redis was away is told so by `onGap`. Events of workflows can be read again (`LiveEventLog`).
 */
@Injectable()
export class LiveBus implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LiveBus.name);
  private readonly channels = new Map<string, Channel>();
  private readonly gapHandlers = new Set<() => void>();
  /** What is sent at the end of this turn of the event loop: a write to the socket costs more than what it carries. */
  private outgoing: Outgoing[] = [];
  private isEnding = false;

  constructor(
    private readonly redis: LiveRedis,
    private readonly events: LiveEventLog,
  ) {
    this.redis.subscriber.on('message', (channel: string, body: string) => this.dispatch(channel, body));
    this.redis.subscriber.on('ready', () => void this.closeGap());
  }

  /**
   * A process that says it is ready hears what is published: subscriptions of the start are there, unless Redis is away,
   * without which it starts all the same.
   */
  async onApplicationBootstrap(): Promise<void> {
    const subscribed = Promise.allSettled([...this.channels.values()].map((channel) => channel.subscribed));
    await Promise.race([subscribed, sleep(MOST_WAITED_MS, undefined, { ref: false })]);
  }

  /** Sends and does not wait. Call it after commit. What is published here arrives in that order. */
  publish<T extends LiveTopic>(topic: T, message: LiveMessages[T]): void {
    if (topic.startsWith('workflow:') && isLiveEvent(message as WorkflowLiveMessage)) {
      this.sendOutgoing();
      this.events.append(topic, message).catch((error: Error) => {
        const isOurs = error instanceof RangeError;
        this.logger[isOurs ? 'warn' : 'debug'](`A message on ${topic} is lost: ${error.message}`);
      });
      return;
    }
    if (this.outgoing.push({ topic, message }) === 1 && !this.isEnding) setImmediate(() => this.sendOutgoing());
    if (this.isEnding) this.sendOutgoing();
  }

  /**
   * For what processes remember of the database: the handlers of this one have forgotten it on return, those of the
   * others a moment later. They may be called twice.
   */
  invalidate<T extends LiveTopic>(topic: T, message: LiveMessages[T]): void {
    this.handle(this.redis.channel(topic), message);
    this.publish(topic, message);
  }

  /** Many messages at once; like `publish`, it does not wait. */
  publishAll<T extends LiveTopic>(messages: readonly { topic: T; message: LiveMessages[T] }[]): void {
    this.outgoing.push(...messages);
    this.sendOutgoing();
  }

  /** Those who stop publish until the end, and the connection is closed soon. */
  beforeApplicationShutdown(): void {
    this.isEnding = true;
    this.sendOutgoing();
  }

  /** @returns a function that ends the subscription; once it is there, nothing that is published is missed. */
  async subscribe<T extends LiveTopic>(topic: T, handler: (message: LiveMessages[T]) => void): Promise<() => void> {
    const name = this.redis.channel(topic);
    let channel = this.channels.get(name);
    if (!channel) {
      channel = { handlers: new Set(), subscribed: this.redis.subscriber.subscribe(name) };
      this.channels.set(name, channel);
    }
    const { handlers } = channel;
    handlers.add(handler as Handler);
    await channel.subscribed;
    return () => {
      handlers.delete(handler as Handler);
      if (handlers.size > 0 || this.channels.get(name) !== channel) return;
      this.channels.delete(name);
      void this.redis.subscriber.unsubscribe(name).catch((error: Error) => this.logger.debug(error.message));
    };
  }

  /**
   * Whether anybody listens to the topic: here, or in another process. Whoever has just left is counted until Redis has
   * heard of it, a few milliseconds later; a process that died is not. @throws while Redis is away
   */
  async hasListeners(topic: LiveTopic): Promise<boolean> {
    const name = this.redis.channel(topic);
    if ((this.channels.get(name)?.handlers.size ?? 0) > 0) return true;
    const [, count] = (await this.redis.commands.pubsub('NUMSUB', name)) as [string, number];
    return Number(count) > 0;
  }

  /** What is kept of the topics for whoever was away is gone on return. @throws while Redis is away */
  forget(topics: readonly LiveTopic[]): Promise<void> {
    return this.events.forget(topics);
  }

  /** The same without waiting; what Redis keeps while it is away ends by itself within a day. */
  forgetSoon(topics: readonly LiveTopic[]): void {
    this.forget(topics).catch((error: Error) => this.logger.debug(`Not forgotten yet: ${error.message}`));
  }

  /**
   * Called when the connection is there, or back after a loss: messages may have been missed. From then on none is, so
   * that what the handler reads or forgets is not out of date unheard.
   */
  onGap(handler: () => void): void {
    this.gapHandlers.add(handler);
  }

  /** Redis says that it is ready before it has heard which channels this process listens to (again). */
  private async closeGap(): Promise<void> {
    const names = [...this.channels.keys()];
    try {
      if (names.length > 0) await this.redis.subscriber.subscribe(...names);
    } catch (error) {
      this.logger.warn(`Messages may be missed: ${String(error)}`);
    }
    for (const handler of this.gapHandlers) handler();
  }

  private sendOutgoing(): void {
    const { outgoing } = this;
    if (outgoing.length === 0) return;
    this.outgoing = [];
    const pipeline = this.redis.commands.pipeline();
    for (const { topic, message } of outgoing) pipeline.publish(this.redis.channel(topic), JSON.stringify(message));
    pipeline
      .exec()
      .catch((error: Error) => this.logger.debug(`${outgoing.length} messages are lost: ${error.message}`));
  }

  private dispatch(channel: string, body: string): void {
    let message: unknown;
    try {
      message = JSON.parse(body);
    } catch {
      this.logger.warn(`A message on ${channel} is not JSON and is dropped.`);
      return;
    }
    this.handle(channel, message);
  }

  private handle(channel: string, message: unknown): void {
    for (const handler of this.channels.get(channel)?.handlers ?? []) {
      try {
        handler(message as never);
      } catch (error) {
        this.logger.error(`A handler of ${channel} failed: ${String(error)}`);
      }
    }
  }
}
