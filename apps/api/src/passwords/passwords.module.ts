import { Module } from '@nestjs/common';
import { MetadataModule } from '../metadata/metadata.module.js';
import { PasswordsController } from './passwords.controller.js';
import { Passwords } from './passwords.js';
import { RecoveryCodeMail } from './recovery-code-mail.js';
import { RecoveryKeys } from './recovery-keys.js';

@Module({
  imports: [MetadataModule],
  controllers: [PasswordsController],
  providers: [Passwords, RecoveryKeys, RecoveryCodeMail],
})
export class PasswordsModule {}
