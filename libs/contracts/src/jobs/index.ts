import { drawThumbnailJob } from './draw-thumbnail.job.js';
import { eraseAccountJob } from './erase-account.job.js';
import { executeRunJob } from './execute-run.job.js';
import { executeTurnJob } from './execute-turn.job.js';
import { exportAccountJob } from './export-account.job.js';
import { fetchRequestFilesJob } from './fetch-request-files.job.js';
import { importTableJob } from './import-table.job.js';
import { indexDocumentJob } from './index-document.job.js';
import { mirrorShareJob } from './mirror-share.job.js';
import { rememberTurnJob } from './remember-turn.job.js';
import { sendMessageJob } from './send-message.job.js';
import { summariseDocumentJob } from './summarise-document.job.js';
import { syncSourceJob } from './sync-source.job.js';
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
  sendMessageJob,
  summariseDocumentJob,
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
] as const;
