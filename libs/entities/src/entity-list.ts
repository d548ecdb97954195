import { DocumentShare } from './documents/document-share.entity.js';
import { Document } from './documents/document.entity.js';
import { UploadBatch, UploadBatchItem } from './documents/upload-batch.entity.js';
import { OutboxMessage } from './outbox/outbox-message.entity.js';

/** Every entity of the one database. */
export const entities = [OutboxMessage, Document, DocumentShare, UploadBatch, UploadBatchItem];
