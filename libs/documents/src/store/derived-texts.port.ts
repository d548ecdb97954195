import type { EntityManager } from 'typeorm';

/**
 * What others have written of a document's content, such as its summary: it belongs to libs beside this one, and is
 * handed in by the app that replaces documents.
 */
export abstract class DerivedTexts {
  /**
   * What told of the old content goes, in the transaction that replaces it. Whoever is writing it finds nothing to write
   * to.
   */
  abstract forget(uid: string, tx: EntityManager): Promise<void>;
}
