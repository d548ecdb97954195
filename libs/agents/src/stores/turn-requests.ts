import { ANSWER_LANGUAGES } from '@app/common';
import { SEARCH_MODES } from '@app/retrieval';
import { z } from 'zod';

const common = {
  /** Of the answer; that of the question when null. */
  language: z.enum(ANSWER_LANGUAGES).nullable(),
  /** The deployment's first one when null. */
  llmModelId: z.int().nullable(),
};

/** What the handler `document` is asked for, beside the question. */
export const documentTurnRequest = z.object({
  ...common,
  /** Each must be the viewer's to read, and ready. */
  uids: z.array(z.string()).nullable(),
  folder: z.string().nullable(),
  /** Only the viewer's own documents that have all of them; turns that were asked before there was this have none. */
  tags: z.array(z.string()).nullable().optional(),
  /** What to look for, where that is not the question. */
  query: z.string().nullable(),
  mode: z.enum(SEARCH_MODES),
  /** Passages that the answer may rest on. */
  limit: z.int().nullable(),
  sources: z.enum(['passages', 'grouped', 'paths']),
});
export type DocumentTurnRequest = z.infer<typeof documentTurnRequest>;

/** What the handler `table` is asked for. */
export const tableTurnRequest = z.object({
  ...common,
  /** `table`: of an extracted one, which `tableId` names, as the only one of `uids`. */
  store: z.enum(['database', 'spreadsheet', 'table']),
  uids: z.array(z.string()),
  tableId: z.uuid().optional(),
});
export type TableTurnRequest = z.infer<typeof tableTurnRequest>;

/** What the handler `workflow` is asked for: a run that has begun. */
export const workflowTurnRequest = z.object({ workflowId: z.string(), runVersion: z.int() });
export type WorkflowTurnRequest = z.infer<typeof workflowTurnRequest>;

export const secureAttachment = z.object({
  /** The uid or the media path of a file that the viewer may read. */
  file: z.string(),
  name: z.string(),
});
export type SecureAttachment = z.infer<typeof secureAttachment>;

/** What the handler `secure` is asked for. */
export const secureTurnRequest = z.object({
  ...common,
  language: z.string().nullable(),
  attachments: z.array(secureAttachment),
  reasoningEffort: z.enum(['low', 'medium', 'high']).nullable(),
});
export type SecureTurnRequest = z.infer<typeof secureTurnRequest>;

/** The same with what the row of an encrypted turn has nowhere else: it stands there sealed. */
export const sealedTurnRequest = secureTurnRequest.extend({
  question: z.string(),
  /** What the client decrypted for this call, oldest first. */
  history: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() })),
});
export type SealedTurnRequest = z.infer<typeof sealedTurnRequest>;
