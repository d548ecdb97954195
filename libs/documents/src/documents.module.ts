import { Global, Module } from '@nestjs/common';
import { FileScreening } from './files/file-screening.js';
import { IndexingRecords } from './indexing/indexing-records.js';
import { IndexingRequests } from './indexing/indexing-requests.js';
import { UnpublishedDocuments } from './indexing/unpublished-documents.js';
import { BackgroundReindexing } from './store/background-reindexing.js';
import { BulkReindexing } from './store/bulk-reindexing.js';
import { DocumentFolders } from './folders/document-folders.js';
import { ShareMirrors } from './sharing/share-mirrors.js';
import { DocumentTags } from './store/document-tags.js';
import { DocumentLifecycle } from './store/document-lifecycle.js';
import { DocumentStore } from './store/document-store.js';
import { SourceSyncs } from './sources/source-syncs.js';
import { LooseFiles } from '@app/entitlements';
import { Thumbnails } from './thumbnails/thumbnails.js';

/** The document store. Needs the database, the queues and the file storage of the app that imports it. */
@Global()
@Module({
  providers: [
    FileScreening,
    IndexingRequests,
    IndexingRecords,
    UnpublishedDocuments,
    LooseFiles,
    DocumentStore,
    DocumentLifecycle,
    DocumentFolders,
    DocumentTags,
    ShareMirrors,
    BulkReindexing,
    BackgroundReindexing,
    SourceSyncs,
    Thumbnails,
  ],
  exports: [
    FileScreening,
    IndexingRequests,
    IndexingRecords,
    UnpublishedDocuments,
    LooseFiles,
    DocumentStore,
    DocumentLifecycle,
    DocumentFolders,
    DocumentTags,
    ShareMirrors,
    BulkReindexing,
    BackgroundReindexing,
    SourceSyncs,
    Thumbnails,
  ],
})
export class DocumentsModule {}
