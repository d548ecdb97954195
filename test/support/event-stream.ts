import type { HttpClient } from './http-client.js';

export interface ServerEvent {
  id: string | null;
  event: string;
  data: Record<string, unknown>;
}

/** A client of Server-Sent Events that remembers what it was sent. */
export class EventStream {
  readonly events: ServerEvent[] = [];
  comments = 0;
  /** The status, once the stream has ended. */
  readonly ended: Promise<number>;
  private readonly abort = new AbortController();

  constructor(url: string, client: HttpClient, lastEventId?: string) {
    this.ended = this.read(url, {
      authorization: `Token ${client.token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
    this.ended.catch(() => null);
  }

  names(): string[] {
    return this.events.map(({ event }) => event);
  }

  lastId(): string {
    return this.events.findLast(({ id }) => id !== null)!.id!;
  }

  close(): void {
    this.abort.abort();
  }

  private async read(url: string, headers: Record<string, string>): Promise<number> {
    const response = await fetch(url, { headers, signal: this.abort.signal });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) this.take(frame);
    }
    return response.status;
  }

  private take(frame: string): void {
    const lines = frame.split('\n');
    const valueOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const data = valueOf('data');
    if (frame.startsWith(':')) this.comments += 1;
    if (data !== undefined)
      this.events.push({
        id: valueOf('id') ?? null,
        event: valueOf('event')!,
        data: JSON.parse(data) as Record<string, unknown>,
      });
  }
}
