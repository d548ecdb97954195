import type { AppConfig } from '@app/config';
import { DocumentReader, SharingModule, UploadBatches } from '@app/documents';
import { InsightsModule, RetrievalModule } from '@app/retrieval';
import { type DynamicModule, Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module.js';
import { DocumentChatController } from './chat/document-chat.controller.js';
import { DocumentChat } from './chat/document-chat.service.js';
import { DocumentActionsController } from './documents/document-actions.controller.js';
import { DocumentTagsController } from './documents/document-tags.controller.js';
import { DocumentsController } from './documents/documents.controller.js';
import { ReEmbedController } from './documents/re-embed.controller.js';
import { FoldersController } from './folders/folders.controller.js';
import { InsightsController } from './insights/insights.controller.js';
import { InsightsService } from './insights/insights.service.js';
import { SearchController } from './search/search.controller.js';
import { SEMANTIC_SEARCH_SETTINGS, toSemanticSearchSettings } from './semantic-search-settings.js';
import { AccessRequestsController } from './sharing/access-requests.controller.js';
import { DocumentUsersController } from './sharing/document-users.controller.js';
import { BatchIntake } from './uploads/batch-intake.js';
import { BatchKeeping } from './uploads/batch-keeping.js';
import { BatchController } from './uploads/batch.controller.js';
import { TusModule } from './uploads/tus/tus.module.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { UploadsService } from './uploads/uploads.service.js';
import { ZipUploads } from './uploads/zip-uploads.js';

/**
 * The semantic-search store over HTTP (docs/contract/documents.md#the-document). Stands on the app's DocumentsModule,
 * QueuesModule
 * and IntegrationsModule.
 */
@Module({})
export class SemanticSearchModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: SemanticSearchModule,
      imports: [SharingModule, RetrievalModule, InsightsModule, ProfileModule, TusModule],
      controllers: [
        // Before those whose second segment is a document's uid.
        FoldersController,
        AccessRequestsController,
        DocumentUsersController,
        DocumentTagsController,
        SearchController,
        DocumentChatController,
        InsightsController,
        UploadsController,
        BatchController,
        DocumentsController,
        ReEmbedController,
        DocumentActionsController,
      ],
      providers: [
        { provide: SEMANTIC_SEARCH_SETTINGS, useValue: toSemanticSearchSettings(config) },
        UploadsService,
        ZipUploads,
        BatchIntake,
        BatchKeeping,
        UploadBatches,
        DocumentReader,
        DocumentChat,
        InsightsService,
      ],
    };
  }
}
