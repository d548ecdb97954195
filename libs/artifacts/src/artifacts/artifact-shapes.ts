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
  /** UTF-8 of all of a version as JSON. */
  queriesBytes: 1024 * 1024,
  files: 5,
  dataSources: 3,
  /** UTF-8 of JSON. */
  stateBytes: 2048,
  titleCharacters: 200,
  changeNoteCharacters: 2000,
  sqlCharacters: 20_000,
  params: 50,
  /** Of one person. */
  artifacts: 1000,
} as const;

/** What is published: the next version, or the first one. */
export interface ArtifactDraft {
  title: string;
  kind: ArtifactKind;
  html: string;
  queries: NamedQuery[];
  changeNote: string;
}

/** How what is published finds what was published before. */
export interface PublishOptions {
  /** The artifact that gets the next version. */
  artifactId?: string;
  /** The version that the draft was made of: where another one was published since, nothing is. */
  expectedVersion?: number;
  /** Whoever publishes again under the same key gets the same version: a node of a run, a call of a turn. */
  publishKey?: string;
  /** Whoever publishes again under the same key gives the same artifact its next version: a node of a workflow. */
  artifactKey?: string;
  /** Whose final deletion removes the artifact. */
  workflowId?: string;
  signal?: AbortSignal;
}

export interface PublishedVersion {
  artifactId: string;
  version: number;
  title: string;
  kind: ArtifactKind;
}

/** An entry of the history, without its page. */
export interface VersionEntry {
  version: number;
  title: string;
  changeNote: string;
  createdAt: Date;
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

/** One version without its page. */
export interface VersionRecord {
  artifactId: string;
  ownerId: number;
  version: number;
  title: string;
  kind: ArtifactKind;
  queries: NamedQuery[];
  sources: Record<string, ArtifactSource>;
  changeNote: string;
  createdAt: Date;
}

/** One version whole. */
export interface ArtifactVersionRecord extends VersionRecord {
  html: string;
}
