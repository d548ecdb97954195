/**
 * Rises whenever the same file would give a better index than before: other passages, other terms, more text. Indexers
 * then read documents of older versions again in the background, while their old index answers.
 * 2: passages end at sentences; terms by language; tables, headers and cells that were lost.
 * 3: parts within compounds.
 */
export const INDEX_PIPELINE_VERSION = 3;
