import { MessagesOfAccount } from '@app/messages';
import { Module } from '@nestjs/common';
import { OwnedMessages } from './owned-messages.js';

@Module({ providers: [MessagesOfAccount, OwnedMessages] })
export class OwnedMessagesModule {}
