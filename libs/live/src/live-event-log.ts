import type { LiveMessages, LiveTopic } from '@app/contracts';
import { Injectable } from '@nestjs/common';
import { LiveRedis } from './live-redis.js';

/** A larger one belongs into storage, not into a frame. */
const MAX_EVENT_BYTES = 256 * 1024;
const KEPT_EVENTS = 500;
const KEPT_BYTES = 1024 * 1024;
const KEPT_SECONDS = 24 * 3600;

/** What was published after some place of the log. */
export interface LiveEventsSince<T extends LiveTopic> {
  /** Of events up to here some may be missing: they are kept no longer, or were lost with Redis. */
  completeAfter: number;
  /** No event so far has a higher `seq` than this, every later one has. */
  now: number;
  /** In order, each with its `seq`. */
  events: LiveMessages[T][];
}

/**
 * The last events of a topic, for whoever was away. Their `seq` are microseconds of Redis' clock, 16 apart at least: they
 * rise even when Redis forgets everything, and there is room in between for the numbers of a replica's own frames.
 */
@Injectable()
export class LiveEventLog {
  constructor(private readonly redis: LiveRedis) {}

  /**
   * Keeps the event and publishes it, in one step, so that all hear events in the order of their `seq`.
   * @throws RangeError beyond 256 KiB.
   */
  async append<T extends LiveTopic>(topic: T, event: LiveMessages[T]): Promise<number> {
    const body = JSON.stringify(event);
    if (Buffer.byteLength(body) > MAX_EVENT_BYTES) throw new RangeError(`an event of ${body.length} characters`);
    const seq = await this.redis.commands.eval(
      APPEND,
      2,
      ...this.keys(topic),
      body,
      this.redis.channel(topic),
      KEPT_EVENTS,
      KEPT_BYTES,
      KEPT_SECONDS,
    );
    return Number(seq);
  }

  /** @param seq null: only what `now` is. */
  async readAfter<T extends LiveTopic>(topic: T, seq: number | null): Promise<LiveEventsSince<T>> {
    const since = seq === null ? '' : String(Math.min(Math.max(Math.trunc(seq), 0), Number.MAX_SAFE_INTEGER));
    const answer = await this.redis.commands.eval(READ, 2, ...this.keys(topic), since, KEPT_SECONDS);
    const [completeAfter, now, bodies] = answer as [string, string, string[]];
    return {
      completeAfter: Number(completeAfter),
      now: Number(now),
      events: bodies.map((body) => JSON.parse(body) as LiveMessages[T]),
    };
  }

  /** Nothing is left of the topics; whoever reads one anew begins a new log. @throws while Redis is away. */
  async forget(topics: readonly LiveTopic[]): Promise<void> {
    for (const topic of topics) await this.redis.commands.del(...this.keys(topic));
  }

  private keys(topic: string): [string, string] {
    return [this.redis.key(topic, 'place'), this.redis.key(topic, 'events')];
  }
}

// `place` holds: last, the highest seq given out; floor, above which nothing is missing; bytes, of what is kept.
const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function text(number) return string.format('%.0f', number) end
local place = redis.call('HMGET', KEYS[1], 'last', 'floor', 'bytes')
local last = tonumber(place[1] or 0)`;

const APPEND = `${CLOCK}
local seq = math.max(last + 16, now)
local body = '{"seq":' .. text(seq) .. ',' .. string.sub(ARGV[1], 2)
redis.call('XADD', KEYS[2], text(seq) .. '-0', 'body', body)
local floor = place[2] or text(seq - 1)
local bytes = tonumber(place[3] or 0) + #body
local count = redis.call('XLEN', KEYS[2])
while count > tonumber(ARGV[3]) or (count > 1 and bytes > tonumber(ARGV[4])) do
  local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[2], oldest[1])
  floor = string.match(oldest[1], '%d+')
  bytes = bytes - #oldest[2][2]
  count = count - 1
end
redis.call('HSET', KEYS[1], 'last', text(seq), 'floor', floor, 'bytes', text(bytes))
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('PUBLISH', ARGV[2], body)
return text(seq)`;

// Whoever asks first opens the log: from then on it can tell that nothing was missed.
const READ = `${CLOCK}
now = math.max(last, now)
if not place[2] then
  place[2] = text(now)
  redis.call('HSET', KEYS[1], 'last', text(now), 'floor', place[2], 'bytes', '0')
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[2])
local bodies = {}
if ARGV[1] ~= '' then
  for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '(' .. ARGV[1] .. '-0', '+')) do
    table.insert(bodies, entry[2][2])
  end
end
return {place[2], text(now), bodies}`;
