import { executeRunJob } from './execute-run.job.js';
import { executeTurnJob } from './execute-turn.job.js';
import { indexDocumentJob } from './index-document.job.js';
import { rememberTurnJob } from './remember-turn.job.js';
import * as workJobs from './work-jobs.js';
import { writeTitleJob } from './write-title.job.js';

export { payloadForTurn } from './execute-turn.job.js';
export * from './work-jobs.js';
export { executeRunJob, executeTurnJob, indexDocumentJob, rememberTurnJob, writeTitleJob };

/** Every job of the product. */
export const JOBS = [
  executeRunJob,
  executeTurnJob,
  indexDocumentJob,
  writeTitleJob,
  rememberTurnJob,
  ...Object.values(workJobs),
] as const;
