export { createDataSource, dataSourceOptions } from './data-source.js';
export { DatabaseModule } from './database.module.js';
export { runMigrations, schemaDrift } from './migrate.js';
export { OutboxMessage } from './outbox/outbox-message.entity.js';
export { DocumentShare } from './documents/document-share.entity.js';
export { Document, DOCUMENT_STATES_IN_DATABASE } from './documents/document.entity.js';
export { UploadBatch, UploadBatchItem } from './documents/upload-batch.entity.js';
