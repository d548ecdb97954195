import { Global, Module } from '@nestjs/common';
import { Messages } from './messages.js';

/** Mails and text messages. Global; needs `QueuesModule` and `SecretsModule`. */
@Global()
@Module({ providers: [Messages], exports: [Messages] })
export class MessagesModule {}
