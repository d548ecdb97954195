import { Logger } from '@nestjs/common';
import { workEnded, workSeconds } from './instruments.js';

/** Work that people wait for, as operators speak of it. */
export type Work =
  | 'run'
  | 'turn'
  | 'document'
  | 'table import'
  | 'extraction'
  | 'source sync'
  | 'summary'
  | 'thumbnail'
  | 'share mirror'
  | 'file fetch'
  | 'refresh'
  | 'agent run'
  | 'message'
  | 'payment'
  | 'export'
  | 'erasure';

export interface EndedWork {
  work: Work;
  outcome: 'completed' | 'failed' | 'stopped';
  /** What the work was on: ids only, no names and no texts. */
  ids: Record<string, string | number | null>;
  ownerId: number | null;
  /** Why it failed, as clients see it. */
  code?: string | null | undefined;
  /** From the start of the work; absent where that is not known. */
  seconds?: number;
}

const logger = new Logger('Work');

/** One log line and one count for work that has ended. The request id comes from the context of the caller. */
export function noteEnd({ work, outcome, ids, ownerId, code = null, seconds }: EndedWork): void {
  workEnded.inc({ work, outcome });
  if (seconds !== undefined) workSeconds.observe({ work }, seconds);
  const ms = seconds === undefined ? null : Math.round(seconds * 1000);
  logger.log({ message: `${work} ${outcome}`, work, ...ids, ownerId, outcome, code, ms });
}
