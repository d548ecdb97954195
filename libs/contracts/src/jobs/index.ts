import { eraseAccountJob } from './erase-account.job.js';
import { executeRunJob } from './execute-run.job.js';
import { indexDocumentJob } from './index-document.job.js';
import { sendMessageJob } from './send-message.job.js';

export { eraseAccountJob, executeRunJob, indexDocumentJob, sendMessageJob };

/** Every job of the product. */
export const JOBS = [executeRunJob, indexDocumentJob, sendMessageJob, eraseAccountJob] as const;
