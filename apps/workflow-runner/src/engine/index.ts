export { type ExecutorLogger, type ExecutorOptions, type ProgressEvent } from './executor-options.js';
export { RunExecutor } from './run-executor.js';
