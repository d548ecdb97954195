import { executeRunJob } from './execute-run.job.js';
import { indexDocumentJob } from './index-document.job.js';

export { executeRunJob, indexDocumentJob };

/** Every job of the product. */
export const JOBS = [executeRunJob, indexDocumentJob] as const;
