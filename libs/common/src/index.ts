export * from './clock.js';
export * from './errors.js';
export * from './ids.js';
export * from './pagination.js';
export * from './request-context.js';
export { explainFailedStart, StartupError } from './startup-error.js';
export { fold } from './text/fold.js';
export { toJsonText } from './text/json-text.js';
export { nameKey } from './text/name-key.js';
