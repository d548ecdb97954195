export { DocumentsModule } from './documents.module.js';
export * from './files/index.js';
export {
  INDEXING_STAGES,
  IndexingRecords,
  type IndexingProgress,
  type IndexingStage,
} from './indexing/indexing-records.js';
export { indexingWork } from './indexing/indexing-work.js';
export { UnpublishedDocuments } from './indexing/unpublished-documents.js';
export { IndexingRequests, type Delivery } from './indexing/indexing-requests.js';
export { findQueuePositions } from './indexing/queue-positions.js';
export { classifyDocument, documentColumns, findDocumentByUid, type DocumentRecord } from './state/document-columns.js';
export {
  DOCUMENT_STATES,
  DOCUMENT_TRANSITIONS,
  MAX_TRIES,
  QUEUE_CLASSES,
  STATUS_TEXTS,
  TERMINAL_STATES,
  UNFINISHED_STATES,
  type DocumentState,
  type DocumentTransition,
  type QueueClass,
} from './state/document.states.js';
export { transition, type TransitionOptions } from './state/transition.js';
export {
  BackgroundReindexing,
  findReindexingProgress,
  type ReindexedDocuments,
  type ReindexingProgress,
} from './store/background-reindexing.js';
export { WAITING_DOCUMENTS } from './indexing/waiting-documents.js';
export { INDEX_PIPELINE_VERSION } from './indexing/pipeline-version.js';
export { BulkReindexing, type ReindexScope, type SkippedDocument } from './store/bulk-reindexing.js';
export { documentOverview } from './folders/document-overview.js';
export { DocumentFolders, type FolderRecord } from './folders/document-folders.js';
export { AccessDecisions, type DecisionName } from './sharing/access-decisions.js';
export { AccessRequestReader, type AccessRequestRecord } from './sharing/access-request-reader.js';
export { AccessRequests } from './sharing/access-requests.js';
export { DocumentSharing, type DocumentPeople, type SharingOutcome } from './sharing/document-sharing.js';
export { mirrorWork, type ClaimedMirror } from './sharing/mirror-work.js';
export { ShareMirrors } from './sharing/share-mirrors.js';
export { OwnedAccessRequests, OwnedShareMirrors } from './sharing/owned-sharing.js';
export { SharingModule } from './sharing/sharing.module.js';
export { DocumentTags, MAX_TAG_LENGTH, MAX_TAGS, normalizeTags } from './store/document-tags.js';
export { DocumentLifecycle } from './store/document-lifecycle.js';
export { DOCUMENT_TRACES, type DocumentTrace } from './store/document-traces.js';
export { OwnedDocuments } from './store/owned-documents.js';
export { DerivedTexts } from './store/derived-texts.port.js';
export { DocumentReplacement, type NewContent } from './store/document-replacement.js';
export { toDriveItemId, toItemKey } from './sources/item-key.js';
export { findSourceAccess, sealSourceSecret, type StoredSource } from './sources/source-secret.js';
export { sourceWork, type ClaimedSource } from './sources/source-work.js';
export { SourceSyncs } from './sources/source-syncs.js';
export { DocumentStore, type AddedDocument, type NewDocument } from './store/document-store.js';
export { findableFolder, normalizeFolder } from './store/folder-path.js';
export {
  findThumbnailInPath,
  isDrawable,
  THUMBNAIL_WIDTHS,
  thumbnailMediaPath,
  type ThumbnailName,
} from './thumbnails/thumbnail-path.js';
export { thumbnailWork, type ClaimedThumbnail } from './thumbnails/thumbnail-work.js';
export { Thumbnails, type StoredThumbnail } from './thumbnails/thumbnails.js';
export { documentMediaPath, documentStorageKey, findDocumentUidInPath } from './store/media-path.js';
export { DocumentMedia } from './store/document-media.js';
export { type ItemResult, type KnownItem, KnownItems } from './sources/known-items.js';
export { type Outcome, SourceClaim } from './sources/source-claim.js';
export { toUploadSettings, UPLOAD_SETTINGS, type UploadSettings } from './uploads/upload-settings.js';
export { documentNotFound, DocumentReader, type DocumentStatusRow } from './store/document-reader.js';
export {
  type BatchItem,
  type BatchProgress,
  type KnownBatchItem,
  type OpenBatch,
  UploadBatches,
} from './uploads/upload-batches.js';
export { ResumableFiles } from './uploads/resumable-files.js';
export {
  EXPIRES_AFTER_SECONDS,
  type ResumableUpload,
  ResumableUploads,
  type UploadMetadata,
} from './uploads/resumable-uploads.js';
export { UploadLocks } from './uploads/upload-locks.js';
export { OwnedResumableUploads } from './uploads/owned-resumable-uploads.js';
export { ThumbnailFiles } from './thumbnails/thumbnail-files.js';
export { countLinksToArtifact, publicPagePath, renameLinksToArtifact } from './links/links-to-artifact.js';
export { OwnedLinks } from './links/owned-links.js';
export { OwnFiles, type PermanentLinkRecord, PermanentLinks } from './links/permanent-links.js';
export { ReadableDocuments } from './store/readable-documents.js';
export { OwnedSources } from './sources/owned-sources.js';
export { SourceRemoval } from './sources/source-removal.js';
export { type SourceItemRow, type SourceRow, SourceRows } from './sources/source-rows.js';
export { type SourceDraft, SourcesService } from './sources/sources.service.js';
export { SOURCES_SETTINGS, toSourcesSettings } from './sources/sources-settings.js';
export { requireSourceRights } from './sources/source-rights.js';
export {
  DOCUMENT_FILTERS,
  DocumentAdministration,
  type DocumentFilter,
} from './administration/document-administration.js';
export { findKeptFile, findVisibleFile } from './store/document-files.js';
export { listLibrary, type LibraryFilter } from './store/library-list.js';
