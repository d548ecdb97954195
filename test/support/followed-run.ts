import { setTimeout as sleep } from 'node:timers/promises';
import { EventStream, type ServerEvent } from './event-stream.js';
import type { HttpClient } from './http-client.js';

export const RUN_ENDS = ['run.completed', 'run.failed', 'run.cancelled'];

/** A reader of a run who comes back behind what it has, whenever it is cut off. */
export class FollowedRun {
  readonly events: ServerEvent[] = [];
  /** How often it was cut off. */
  cuts = 0;
  /** Once the end of the run was told. */
  readonly ended: Promise<void>;

  constructor(
    private readonly client: HttpClient,
    readonly id: string,
  ) {
    this.ended = this.read();
    this.ended.catch(() => null);
  }

  /** Everything that the platform tells of it once it is over, at once. */
  async replayed(after = 0): Promise<ServerEvent[]> {
    const stream = new EventStream(`${this.url}?after=${after}`, this.client);
    await stream.ended;
    return stream.events;
  }

  private get url(): string {
    return `${this.client.baseUrl}/microservices/dedicated-agent/runs/${this.id}/events/`;
  }

  private async read(): Promise<void> {
    for (;;) {
      const stream = new EventStream(this.url, this.client, this.events.at(-1)?.id ?? '0');
      const status = await stream.ended.catch(() => 0);
      this.events.push(...stream.events);
      if (RUN_ENDS.includes(this.events.at(-1)?.event ?? '')) return;
      if (status >= 400 && status < 500) throw new Error(`The events of the run ${this.id}: ${status}`);
      this.cuts += 1;
      await sleep(300);
    }
  }
}
