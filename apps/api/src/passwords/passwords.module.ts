import { Passwords, RecoveryCodeMail, RecoveryKeys } from '@app/auth';
import { Module } from '@nestjs/common';
import { MetadataModule } from '../metadata/metadata.module.js';
import { PasswordsController } from './passwords.controller.js';

@Module({
  imports: [MetadataModule],
  controllers: [PasswordsController],
  providers: [Passwords, RecoveryKeys, RecoveryCodeMail],
})
export class PasswordsModule {}
