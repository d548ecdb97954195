import { Module } from '@nestjs/common';
import { AccessDecisions } from './access-decisions.js';
import { AccessRequestReader } from './access-request-reader.js';
import { AccessRequests } from './access-requests.js';
import { DocumentSharing } from './document-sharing.js';
import { SharingNotices } from './sharing-notices.js';

/** Sharing and access requests. Stands on the app's DocumentsModule, MessagesModule and AuditModule. */
@Module({
  providers: [SharingNotices, DocumentSharing, AccessRequestReader, AccessRequests, AccessDecisions],
  exports: [DocumentSharing, AccessRequestReader, AccessRequests, AccessDecisions],
})
export class SharingModule {}
