import { MessageSender } from '@app/messages';
import { Module } from '@nestjs/common';
import { MessageWorker } from './message-worker.js';

@Module({ providers: [MessageSender, MessageWorker] })
export class MessagesAtWorkModule {}
