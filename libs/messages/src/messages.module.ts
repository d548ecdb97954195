import { Global, Module } from '@nestjs/common';
import { Messages } from './messages.js';

/** Asks for mails and text messages. Global; needs `QueuesModule`, `WorkModule` and `SecretsModule`. */
@Global()
@Module({ providers: [Messages], exports: [Messages] })
export class MessagesModule {}
