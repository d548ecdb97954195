import type { LiveTopic } from '@app/contracts';
import { Injectable } from '@nestjs/common';
import { LiveRedis } from './live-redis.js';

/** Refresh an entry more often than this. What a dead process left behind is gone by then. */
export const PRESENCE_SECONDS = 45;
/** More are not looked at. */
const MAX_ENTRIES = 5000;

export interface PresenceEntry {
  userId: number;
  username: string;
  state: 'viewing' | 'editing';
  /** The node that is edited. */
  nodeId: string | null;
  /** Milliseconds since 1970. */
  since: number;
}

type Stored = PresenceEntry & { until: number };

/** Who is there, over all processes. It lives in Redis alone: after a loss the next refresh brings it back. */
@Injectable()
export class LivePresence {
  constructor(private readonly redis: LiveRedis) {}

  /** @param connections entries by the id of their connection. */
  async put(topic: LiveTopic, connections: ReadonlyMap<string, PresenceEntry>): Promise<void> {
    if (connections.size === 0) return;
    const until = Date.now() + PRESENCE_SECONDS * 1000;
    const fields = [...connections].flatMap(([id, entry]) => [id, JSON.stringify({ ...entry, until })]);
    const key = this.redis.key(topic, 'presence');
    await this.redis.commands
      .multi()
      .hset(key, ...fields)
      .expire(key, PRESENCE_SECONDS)
      .exec();
  }

  async remove(topic: LiveTopic, connectionIds: readonly string[]): Promise<void> {
    if (connectionIds.length > 0) await this.redis.commands.hdel(this.redis.key(topic, 'presence'), ...connectionIds);
  }

  /** Oldest first. */
  async list(topic: LiveTopic): Promise<PresenceEntry[]> {
    const key = this.redis.key(topic, 'presence');
    const stored = Object.entries(await this.redis.commands.hgetall(key)).map(
      ([id, text]) => [id, JSON.parse(text) as Stored] as const,
    );
    const now = Date.now();
    await this.remove(
      topic,
      stored.filter(([, { until }]) => until < now).map(([id]) => id),
    );
    return stored
      .filter(([, { until }]) => until >= now)
      .slice(0, MAX_ENTRIES)
      .map(([, { userId, username, state, nodeId, since }]) => ({ userId, username, state, nodeId, since }))
      .toSorted((a, b) => a.since - b.since);
  }
}
