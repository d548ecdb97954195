import { ONE_LINE } from '@app/common';
import {
  ARTIFACT_KINDS,
  ARTIFACT_LIMITS,
  type ArtifactKind,
  type ArtifactRecord,
  type ArtifactSource,
  type ImpactReport,
  type PublishedVersion,
  type RemovedArtifact,
  type VersionEntry,
} from '@app/artifacts';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { VersionField } from './version-field.js';

const TITLE = { ...ONE_LINE, minLength: 1, maxLength: ARTIFACT_LIMITS.titleCharacters } as const;

export class ArtifactCreatorResponse {
  @StringField()
  user_id: string;

  @StringField()
  username: string;

  @StringField({ description: 'Empty for none.' })
  organization_name: string;
}

/** docs/contract/artifacts.md#the-artifact */
export class ArtifactResponse {
  @StringField()
  artifact_id: string;

  @StringField()
  title: string;

  @ChoiceField(ARTIFACT_KINDS)
  kind: ArtifactKind;

  @IntegerField({ description: 'The latest one.' })
  version: number;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;

  @ListField(kinds.string(), { description: 'Names of the files that it reads.' })
  dataset_names: string[];

  @ObjectField({
    description: 'What it reads, by `file:<uid>` or `ds:<id>`: `{type, source_ref, name}` each.',
    example: { 'ds:1': { type: 'postgres', source_ref: 'ds:1', name: 'Shop' } },
  })
  sources: Record<string, object>;

  @StringField({ description: 'Of the latest version.' })
  change_note: string;

  @NestedField(() => ArtifactCreatorResponse)
  created_by: ArtifactCreatorResponse;
}

export class ArtifactsQuery {
  @IntegerField({ optional: true, min: 1, max: ARTIFACT_LIMITS.artifacts, description: 'All of them, unless told.' })
  limit?: number;

  @UuidField({ optional: true, description: 'The `next_cursor` of the page before.' })
  cursor?: string;
}

export class ArtifactsResponse {
  @ListField(() => ArtifactResponse)
  artifacts: ArtifactResponse[];

  @UuidField({ nullable: true, description: 'For the next page; null on the last one.' })
  next_cursor: string | null;
}

export class RenameArtifactRequest {
  @StringField(TITLE)
  title: string;
}

export class DuplicateArtifactRequest {
  @StringField({ ...TITLE, optional: true, description: 'Says that it is a copy, unless told.' })
  title?: string;
}

export class RestoreArtifactRequest {
  @VersionField({ description: 'One of those that are kept. A JSON number.' })
  version: number;
}

export class NewVersionResponse {
  @StringField()
  artifact_id: string;

  @StringField()
  title: string;

  @IntegerField({ description: 'The new one, which is the latest.' })
  version: number;
}

export class VersionEntryResponse {
  @IntegerField()
  version: number;

  @StringField()
  title: string;

  @StringField()
  change_note: string;

  @DateTimeField()
  created_at: Date;
}

export class VersionsResponse {
  @StringField()
  artifact_id: string;

  @ListField(() => VersionEntryResponse, { description: 'Newest first.' })
  versions: VersionEntryResponse[];
}

export class DeletedArtifactResponse {
  @StringField()
  artifact_id: string;

  @BooleanField()
  deleted: boolean;

  @IntegerField({ description: 'Conversations about it.' })
  sessions: number;

  @IntegerField()
  tiles: number;

  @IntegerField({ description: 'Boards that showed it. They stay.' })
  boards: number;

  @IntegerField()
  files: number;

  @ListField(kinds.string(), { description: 'What could not be removed: nothing, or the answer is an error.' })
  errors: string[];

  @IntegerField()
  versions: number;

  @IntegerField({ description: 'Of its latest version.' })
  queries: number;
}

class CountedSessions {
  @IntegerField()
  count: number;

  @ListField(kinds.string(), { description: 'Titles of some of them.' })
  sample: string[];
}

class BoardName {
  @IntegerField()
  id: number;

  @StringField()
  name: string;
}

class CountedTiles {
  @IntegerField()
  count: number;

  @ListField(() => BoardName, { description: 'Those that you see.' })
  boards: BoardName[];
}

class CountedLinks {
  @IntegerField()
  count: number;
}

class CountedFiles {
  @IntegerField()
  count: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  bytes: number;
}

/** docs/contract/artifacts.md#deletion */
export class ArtifactImpactResponse {
  @StringField()
  artifact_id: string;

  @IntegerField()
  versions: number;

  @NestedField(() => CountedSessions)
  sessions: CountedSessions;

  @NestedField(() => CountedTiles)
  tiles: CountedTiles;

  @NestedField(() => CountedLinks)
  links: CountedLinks;

  @NestedField(() => CountedFiles)
  files: CountedFiles;

  @IntegerField({ description: 'Of its latest version.' })
  queries: number;
}

export function toArtifactResponse(artifact: ArtifactRecord): ArtifactResponse {
  const sources = Object.values(artifact.sources);
  return {
    artifact_id: artifact.id,
    title: artifact.title,
    kind: artifact.kind,
    version: artifact.version,
    created_at: artifact.createdAt,
    updated_at: artifact.updatedAt,
    dataset_names: sources.filter(({ type }) => type === 'file').map(({ name }) => name),
    sources: Object.fromEntries(sources.map((source) => [source.ref, toSourceResponse(source)])),
    change_note: artifact.changeNote,
    created_by: {
      user_id: String(artifact.createdBy.userId),
      username: artifact.createdBy.username,
      organization_name: artifact.createdBy.organizationName,
    },
  };
}

const toSourceResponse = ({ ref, type, name }: ArtifactSource) => ({ type, source_ref: ref, name });

export function toNewVersionResponse({ artifactId, title, version }: PublishedVersion): NewVersionResponse {
  return { artifact_id: artifactId, title, version };
}

export function toVersionsResponse(artifactId: string, versions: readonly VersionEntry[]): VersionsResponse {
  return {
    artifact_id: artifactId,
    versions: versions.map(({ version, title, changeNote, createdAt }) => ({
      version,
      title,
      change_note: changeNote,
      created_at: createdAt,
    })),
  };
}

export function toDeletedResponse(artifactId: string, removed: RemovedArtifact): DeletedArtifactResponse {
  return { artifact_id: artifactId, deleted: true, ...removed, errors: [] };
}

export function toImpactResponse(artifactId: string, impact: ImpactReport): ArtifactImpactResponse {
  return { artifact_id: artifactId, ...impact };
}
