export * from './define-job.js';
export * from './jobs/execute-run.job.js';
export * from './jobs/index-document.job.js';
export * from './live-topics.js';
