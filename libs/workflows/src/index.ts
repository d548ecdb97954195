export * from './engine/node-state.js';
export * from './definition/graph.js';
export * from './tools/catalogue-entry.js';
export * from './tools/ports.js';
export * from './tools/tool.js';
export * from './runs/run-store.js';
