import { newId } from '@app/common';
import type { HostedPlatform } from '../../support/hosted-platform.js';
import { HttpClient } from '../../support/http-client.js';
import { until } from '../../support/until.js';
import { FinalState, type Outcome, type Reply } from './outcome.js';
import type { Task, TaskTurn } from './task.js';
import type { Tenant } from './tenant.js';

const CHAT = '/microservices/agent/chat/';
const MAX_REPLIES = 6;

/** Changes what the driver sends: the place of a defect on the way in. */
export type Sent = (turn: TaskTurn, body: Record<string, unknown>) => Record<string, unknown>;

/** Does what the user of a task does, through HTTP alone. */
export class Driver {
  sends: Sent = (_, body) => body;
  private readonly state: FinalState;

  constructor(
    private readonly platform: HostedPlatform,
    private readonly tenant: Tenant,
  ) {
    this.state = new FinalState(platform, tenant);
  }

  async run(task: Task): Promise<Outcome> {
    const user = task.as === 'fresh' ? await HttpClient.signUp(this.platform.baseUrl) : this.tenant.ada;
    const before = await this.state.mark();
    const turns: { language: string; reply: Reply }[] = [];
    const asked: string[] = [];
    let conversation = newId();
    for (const turn of task.turns) {
      if (turn.newConversation) conversation = newId();
      const reply = await this.take(user, turn, conversation, asked);
      turns.push({ language: turn.language ?? task.language, reply });
      if (task.category === 'memory') await this.remembered(reply.turn_id);
    }
    return this.state.read(user, turns, asked, before);
  }

  private async take(user: HttpClient, turn: TaskTurn, conversation: string, asked: string[]): Promise<Reply> {
    const file_uids = turn.attach.map((name) => this.tenant.uidOf(name));
    const body = { conversation_id: conversation, message: turn.say, ...(file_uids.length > 0 && { file_uids }) };
    let reply = await user.post<Reply>(CHAT, this.sends(turn, body));
    for (let at = 0; reply.input !== null && at < MAX_REPLIES; at += 1) {
      const { request_id, kind, tool } = reply.input;
      if (tool) asked.push(tool.name);
      const said = turn.reply[at] ?? turn.reply.at(-1) ?? 'deny';
      const answer = kind === 'approval' ? { choice: said } : { reply: said };
      reply = await user.post<Reply>(`${CHAT}reply/`, { turn_id: reply.turn_id, request_id, ...answer });
    }
    return reply;
  }

  /** Memories are made after the turn. */
  private async remembered(turnId: string): Promise<void> {
    await until(async () => {
      const rows = await this.platform.database.dataSource.query<unknown[]>(
        'SELECT FROM agent_memory_turns WHERE turn_id = $1',
        [turnId],
      );
      return rows.length > 0;
    }, 15_000);
  }
}
