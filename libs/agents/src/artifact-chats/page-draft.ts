import type { ArtifactKind, NamedQuery } from '@app/artifacts';

/** How the last check of a draft ended. */
export interface DraftCheck {
  /** Of what was checked: another page has not been. */
  digest: string;
  problems: string[];
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
  /** The turn that changed it last, how many of its checks have failed, and what the last one found. */
  turn: { id: string; failedChecks: number; problems: string[] };
}
