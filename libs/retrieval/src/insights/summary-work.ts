import { summariseDocumentJob } from '@app/contracts';
import { defineWork } from '@app/work';

export interface ClaimedSummary {
  uid: string;
  /** BCP 47; null for the document's own. */
  language: string | null;
  /** Of the document, on whose account it is written. */
  ownerId: number;
}

const DOCUMENT = 'FROM documents d WHERE d.uid = w.document_uid';

/** Summaries that a language model is to write; those of documents in the trash wait. */
export const summaryWork = defineWork<ClaimedSummary>({
  work: 'summary',
  job: summariseDocumentJob,
  table: 'document_summaries',
  key: { document_uid: 'uuid' },
  columns: `w.document_uid AS uid, w.wanted_language AS language, (SELECT d.owner_id ${DOCUMENT}) AS "ownerId"`,
  when: `EXISTS (SELECT ${DOCUMENT} AND d.deleted_at IS NULL)`,
  retry: { tries: 3, delaySeconds: (attempt) => 10 * attempt },
  unexpected: 'The language model did not answer in the form that it was asked for.',
  onGivenUp: `status = 'failed'`,
  ids: ({ uid }) => ({ uid }),
  ownerOf: ({ ownerId }) => ownerId,
});
