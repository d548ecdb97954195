import type { EntityManager } from 'typeorm';

/** Injects a list of `DocumentTrace`. */
export const DOCUMENT_TRACES = Symbol('DOCUMENT_TRACES');

/** What another lib keeps of documents, and forgets with them when the account is erased that owns them. */
export interface DocumentTrace {
  /**
   * Before the documents are deleted, in the same transaction.
   * @param receivers ids of the accounts with which they are shared
   */
  forgetDocuments(uids: readonly string[], receivers: readonly number[], tx: EntityManager): Promise<void>;
}
