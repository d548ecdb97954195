export { LiveBus } from './live-bus.js';
export { LiveModule } from './live.module.js';
