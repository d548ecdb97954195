export { HealthRegistry, type HealthCheck, type HealthReport } from './health.js';
export { startHealthServer } from './health-server.js';
export { listening } from './listening.js';
export { announceReady, stopGracefully } from './lifecycle.js';
export { Metrics } from './metrics.js';
export { AppLogger } from './logger.js';
export { ObservabilityModule } from './observability.module.js';
export { REDACTED, redactText } from './redaction.js';
export { watchEventLoop } from './watchdog.js';
