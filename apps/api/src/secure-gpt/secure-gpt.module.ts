import { Module } from '@nestjs/common';
import { AttachedFiles } from './attached-files.js';
import { SecureChatController } from './secure-chat.controller.js';
import { SecureChat } from './secure-chat.service.js';

/** Plain conversations with a model, whose history may be the client's secret. */
@Module({ controllers: [SecureChatController], providers: [SecureChat, AttachedFiles] })
export class SecureGptModule {}
