export { ArtifactAccess, artifactNotFound } from './artifacts/artifact-access.js';
export { ArtifactChanges } from './artifacts/artifact-changes.js';
export { ArtifactRemoval, type ImpactReport, type RemovedArtifact } from './artifacts/artifact-removal.js';
export { Artifacts } from './artifacts/artifacts.js';
export { ArtifactRemovalModule, ArtifactsModule } from './artifacts/artifacts.module.js';
export { checkDraft } from './artifacts/check-draft.js';
export { OwnedArtifacts } from './artifacts/owned-artifacts.js';
export {
  ArtifactParts,
  type ArtifactDeletion,
  type ArtifactImpact,
  type ArtifactPart,
} from './artifacts/artifact-parts.js';
export {
  ARTIFACT_KINDS,
  ARTIFACT_LIMITS,
  type ArtifactDraft,
  type ArtifactKind,
  type ArtifactRecord,
  type ArtifactVersionRecord,
  type PublishedVersion,
  type PublishOptions,
  type VersionEntry,
} from './artifacts/artifact-shapes.js';
export { ArtifactQueriesModule } from './queries/artifact-queries.module.js';
export {
  PARAM_TYPES,
  type NamedQuery,
  type ParamType,
  type ParamValue,
  type QueryParam,
} from './queries/named-query.js';
export {
  SourceQueries,
  type ArtifactSource,
  type AskedQuery,
  type CheckedQuery,
  type QueryOutcome,
} from './queries/source-queries.js';
