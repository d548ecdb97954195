export * from './clock.js';
export * from './errors.js';
export * from './ids.js';
export * from './pagination.js';
export * from './request-context.js';
