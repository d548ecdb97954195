import { executeRunJob } from './execute-run.job.js';
import { executeTurnJob, payloadForTurn } from './execute-turn.job.js';
import { indexDocumentJob } from './index-document.job.js';
import { rememberTurnJob } from './remember-turn.job.js';
import { summariseSessionJob } from './summarise-session.job.js';
import {
  drawThumbnailJob,
  eraseAccountJob,
  exportAccountJob,
  fetchRequestFilesJob,
  importTableJob,
  mirrorShareJob,
  sendMessageJob,
  summariseDocumentJob,
  syncSourceJob,
} from './work-jobs.js';
import { writeTitleJob } from './write-title.job.js';

export {
  drawThumbnailJob,
  eraseAccountJob,
  executeRunJob,
  executeTurnJob,
  exportAccountJob,
  fetchRequestFilesJob,
  importTableJob,
  indexDocumentJob,
  mirrorShareJob,
  rememberTurnJob,
  payloadForTurn,
  sendMessageJob,
  summariseDocumentJob,
  summariseSessionJob,
  syncSourceJob,
  writeTitleJob,
};

/** Every job of the product. */
export const JOBS = [
  executeRunJob,
  executeTurnJob,
  indexDocumentJob,
  sendMessageJob,
  eraseAccountJob,
  exportAccountJob,
  summariseDocumentJob,
  syncSourceJob,
  importTableJob,
  drawThumbnailJob,
  mirrorShareJob,
  fetchRequestFilesJob,
  writeTitleJob,
  rememberTurnJob,
  summariseSessionJob,
] as const;
