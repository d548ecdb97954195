export {
  type ExecutorLogger,
  type ExecutorOptions,
  type ProgressEvent,
  type QuestionEvent,
  type TextEvent,
} from './executor-options.js';
export { RunExecutor } from './run-executor.js';
