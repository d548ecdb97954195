import { type ClaimedMessage, messageWork, MessageSender } from '@app/messages';
import { SoleTasks } from '@app/queues';
import { type Claim, Performs } from '@app/work';
import { Injectable, type OnModuleInit } from '@nestjs/common';

const SWEEP_SECONDS = 15;

/** Sends mails and text messages. */
@Injectable()
export class MessageWorker implements OnModuleInit {
  constructor(
    private readonly sender: MessageSender,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('messages', SWEEP_SECONDS, () => this.sender.sweep());
  }

  @Performs(messageWork)
  send(claim: Claim<ClaimedMessage>, signal: AbortSignal): Promise<void> {
    return this.sender.send(claim, signal);
  }
}
