export * from './define-job.js';
export * from './jobs/index.js';
export * from './live-topics.js';
export { defineWorkJob, type WorkPayload } from './work-job.js';
export type { MediaFile } from './media-file.js';
export type { StoredFileRow } from './readable-row.js';
