import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Draw one page of a document as a small picture. */
export const drawThumbnailJob = defineJob({
  name: 'draw-thumbnail',
  queue: 'thumbnails',
  payload: z.object({ uid: z.uuid(), page: z.int().positive(), width: z.int().positive() }),
  key: ({ uid, page, width }) => `${uid}:${page}:${width}`,
});
