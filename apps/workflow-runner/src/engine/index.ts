export {
  type ExecutorLogger,
  type ExecutorOptions,
  type ProgressEvent,
  type QuestionEvent,
} from './executor-options.js';
export { RunExecutor } from './run-executor.js';
