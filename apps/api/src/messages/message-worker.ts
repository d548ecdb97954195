import { sendMessageJob } from '@app/contracts';
import { MessageSender } from '@app/messages';
import { HandlesJob, SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';

const SWEEP_SECONDS = 15;

/** The api sends the messages itself, so that codes go out where nothing but the api is deployed. */
@Injectable()
export class MessageWorker implements OnModuleInit {
  constructor(
    private readonly sender: MessageSender,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('messages', SWEEP_SECONDS, () => this.sender.sweep());
  }

  @HandlesJob(sendMessageJob)
  send({ messageId }: { messageId: string }): Promise<void> {
    return this.sender.trySend(messageId);
  }
}
