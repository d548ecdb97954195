import { z } from 'zod';
import type { JobDefinition } from '../define-job.js';
import { defineWorkJob, type WorkPayload } from '../work-job.js';

const job = defineWorkJob('index-document', 'indexing', { tracksDelivery: true });

/** As the release before writes and reads it, which works beside this one during an update. */
const former = z
  .object({ uid: z.uuid(), attempt: z.int().nonnegative() })
  .transform(({ uid, attempt }) => ({ key: [uid], fence: attempt }));

/** Read, chunk and index one document. */
export const indexDocumentJob: JobDefinition<WorkPayload> = Object.freeze({
  ...job,
  payload: z.union([job.payload, former]).transform(({ key, fence }) => ({ key, fence, uid: key[0], attempt: fence })),
});
