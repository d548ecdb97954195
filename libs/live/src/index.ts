export { LiveBus } from './live-bus.js';
export { LiveEventLog, type LiveEventsSince } from './live-event-log.js';
export { LivePresence, PRESENCE_SECONDS, type PresenceEntry } from './live-presence.js';
export { LiveRedis } from './live-redis.js';
export { LiveModule } from './live.module.js';
