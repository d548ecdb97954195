import { ResumableFiles, ResumableUploads, UploadLocks } from '@app/documents';
import { Module } from '@nestjs/common';
import { UploadsService } from '../uploads.service.js';
import { ResumableUploadSweeper } from './resumable-upload-sweeper.js';
import { TusServer } from './tus-server.js';
import { TusStore } from './tus-store.js';
import { TusController } from './tus.controller.js';
import { UploadCompletion } from './upload-completion.js';

/** Resumable uploads into the semantic store. Stands on the app's UploadsModule and EntitlementsModule. */
@Module({
  controllers: [TusController],
  providers: [
    UploadsService,
    ResumableUploads,
    ResumableFiles,
    UploadLocks,
    UploadCompletion,
    TusStore,
    TusServer,
    ResumableUploadSweeper,
  ],
})
export class TusModule {}
