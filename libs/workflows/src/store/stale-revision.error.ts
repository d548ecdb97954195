import { ConflictError } from '@app/common';
import type { WorkflowRecord } from './workflow-record.js';

/** Somebody saved in between. Carries what the editor needs to go on. */
export class StaleRevisionError extends ConflictError {
  constructor(readonly current: WorkflowRecord) {
    super('Workflow save conflict.', { code: 'save_conflict' });
  }
}
