import type { ArtifactSource } from '../queries/source-queries.js';
import type { NamedQuery } from '../queries/named-query.js';

export const ARTIFACT_KINDS = ['dashboard', 'report', 'page'] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export const ARTIFACT_LIMITS = {
  /** Bytes of UTF-8. */
  htmlBytes: 2 * 1024 * 1024,
  /** Of one artifact; the oldest that nothing keeps go first. */
  versions: 100,
  queries: 50,
  files: 5,
  dataSources: 3,
  /** UTF-8 of JSON. */
  stateBytes: 2048,
  titleCharacters: 200,
  changeNoteCharacters: 2000,
} as const;

/** What is published: the next version, or the first one. */
export interface ArtifactDraft {
  title: string;
  kind: ArtifactKind;
  html: string;
  queries: NamedQuery[];
  changeNote: string;
}

/** What is told of an artifact, without its page. */
export interface ArtifactRecord {
  id: string;
  ownerId: number;
  title: string;
  kind: ArtifactKind;
  /** The latest one. */
  version: number;
  refreshes: number;
  sources: Record<string, ArtifactSource>;
  changeNote: string;
  createdBy: { userId: number; username: string; organizationName: string };
  createdAt: Date;
  updatedAt: Date;
}

/** One version whole. */
export interface ArtifactVersionRecord {
  artifactId: string;
  ownerId: number;
  version: number;
  title: string;
  kind: ArtifactKind;
  html: string;
  queries: NamedQuery[];
  sources: Record<string, ArtifactSource>;
  changeNote: string;
  createdAt: Date;
}
