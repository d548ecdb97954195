import { executeRunJob } from './execute-run.job.js';
import { executeTurnJob } from './execute-turn.job.js';
import { indexDocumentJob } from './index-document.job.js';
import { rememberTurnJob } from './remember-turn.job.js';
import { summariseSessionJob } from './summarise-session.job.js';
import * as workJobs from './work-jobs.js';
import { writeTitleJob } from './write-title.job.js';

export { payloadForTurn } from './execute-turn.job.js';
export * from './work-jobs.js';
export { executeRunJob, executeTurnJob, indexDocumentJob, rememberTurnJob, summariseSessionJob, writeTitleJob };

/** Every job of the product. */
export const JOBS = [
  executeRunJob,
  executeTurnJob,
  indexDocumentJob,
  writeTitleJob,
  rememberTurnJob,
  summariseSessionJob,
  ...Object.values(workJobs),
] as const;
