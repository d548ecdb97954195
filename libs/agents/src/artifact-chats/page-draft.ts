import type { ArtifactKind, NamedQuery } from '@app/artifacts';

/** How the last check of a draft ended. */
export interface DraftCheck {
  /** Of what was checked: another page has not been. */
  digest: string;
  problems: string[];
  /** Queries that were allowed to give nothing; absent where a former release has checked. */
  mayBeEmpty?: string[];
}

/** A page as an agent has written it so far, before anybody else sees it. */
export interface PageDraft {
  /** The version of its artifact that it was begun from; null for a page that was never published. */
  base: number | null;
  title: string;
  kind: ArtifactKind;
  html: string;
  queries: NamedQuery[];
  /** Null while the page as it is was not checked. */
  check: DraftCheck | null;
  /** The turn that changed or checked it last. */
  turnId: string;
}

/** What the turn at work has come to, whatever became of its draft. */
export interface TurnAtPage {
  id: string;
  /** Checks of it that have failed. */
  failedChecks: number;
  /** What the last check of the draft has found. */
  problems: string[];
  /** The last version that it published. */
  published: number | null;
}
