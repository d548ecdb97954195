import { VectorSizes } from '@app/retrieval';
import { ChatEncryption, RepeatedAnswers } from '@app/agents';
import { AccountProfiles, Directory, IdempotencyStore, LinkedProviders } from '@app/auth';
import { WrittenFiles } from '@app/workflows';
import { Module } from '@nestjs/common';
import { AccountEntitlements } from './account-entitlements.js';
import { AccountController } from './account.controller.js';
import { ModelCatalog } from './model-catalog.js';
import { ProfileEdits } from './profile-edits.js';
import { ProfileController } from './profile.controller.js';
import { Profiles } from './profiles.js';

@Module({
  controllers: [ProfileController, AccountController],
  providers: [
    AccountEntitlements,
    VectorSizes,
    ModelCatalog,
    AccountProfiles,
    Profiles,
    ProfileEdits,
    Directory,
    WrittenFiles,
    LinkedProviders,
    { provide: RepeatedAnswers, useExisting: IdempotencyStore },
    ChatEncryption,
  ],
  exports: [ModelCatalog, Profiles, VectorSizes],
})
export class ProfileModule {}
