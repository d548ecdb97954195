import { Module } from '@nestjs/common';
import { AccountController } from './account.controller.js';
import { AccountEntitlements } from './account-entitlements.js';
import { ChatEncryption } from './chat-encryption.js';
import { Directory } from './directory.js';
import { LinkedProviders } from './linked-providers.js';
import { ModelCatalog } from './model-catalog.js';
import { ProfileController } from './profile.controller.js';
import { ProfileEdits } from './profile-edits.js';
import { Profiles } from './profiles.js';
import { WrittenFiles } from './written-files.js';

@Module({
  controllers: [ProfileController, AccountController],
  providers: [
    AccountEntitlements,
    ModelCatalog,
    Profiles,
    ProfileEdits,
    Directory,
    WrittenFiles,
    LinkedProviders,
    ChatEncryption,
  ],
  exports: [ModelCatalog, Profiles],
})
export class ProfileModule {}
