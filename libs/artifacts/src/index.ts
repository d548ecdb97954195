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
