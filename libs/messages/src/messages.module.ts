import { Global, Module } from '@nestjs/common';
import { MessageSender } from './message-sender.js';
import { Messages } from './messages.js';

/** Mails and text messages. Global; needs `QueuesModule`, `SecretsModule` and `IntegrationsModule`. */
@Global()
@Module({ providers: [Messages, MessageSender], exports: [Messages, MessageSender] })
export class MessagesModule {}
