/** A passage as quotes are chosen from it. */
export interface QuotedPassage {
  text: string;
  /** What is known of its document: name, title, headings; read with the passage, never quoted. */
  about: string;
  /** Which document it is of; those of one know the names of each other. */
  document: string;
  /** How much of its document speaks of a term (as `analyse` gives it), 0 to 1, where that was counted. */
  shares?: ReadonlyMap<string, number> | undefined;
}
