import { MessagesOfAccount } from '@app/messages';
import { Module } from '@nestjs/common';
import { MessageWorker } from './message-worker.js';
import { OwnedMessages } from './owned-messages.js';

@Module({ providers: [MessageWorker, MessagesOfAccount, OwnedMessages] })
export class MessageSendingModule {}
