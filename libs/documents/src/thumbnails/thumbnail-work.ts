import { drawThumbnailJob } from '@app/contracts';
import { defineWork } from '@app/work';
import type { ThumbnailName } from './thumbnail-path.js';

export interface ClaimedThumbnail extends ThumbnailName {
  ownerId: number;
  kind: string;
  storageKey: string;
}

const DOCUMENT = 'FROM documents d WHERE d.uid = w.document_uid';

/** Pictures of pages that somebody wants to see; those of documents in the trash wait. */
export const thumbnailWork = defineWork<ClaimedThumbnail>({
  work: 'thumbnail',
  job: drawThumbnailJob,
  table: 'document_thumbnails',
  key: { document_uid: 'uuid', page: 'integer', width: 'integer' },
  columns: `w.document_uid AS uid, w.page, w.width, (SELECT d.owner_id ${DOCUMENT}) AS "ownerId",
    (SELECT d.kind ${DOCUMENT}) AS kind, (SELECT d.storage_key ${DOCUMENT}) AS "storageKey"`,
  when: `EXISTS (SELECT ${DOCUMENT} AND d.deleted_at IS NULL)`,
  retry: { tries: 3, delaySeconds: () => 0 },
  onGivenUp: `state = 'none'`,
  ids: ({ uid, page, width }) => ({ uid, page, width }),
  ownerOf: ({ ownerId }) => ownerId,
});
