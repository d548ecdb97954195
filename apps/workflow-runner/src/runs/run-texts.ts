import type { LiveBus } from '@app/live';
import type { TextEvent } from '../engine/index.js';

const EVERY_MS = 60;
/** Nodes that are written down at the same time; the one that has been silent longest is forgotten. */
const MAX_TEXTS = 1_000;

interface Text {
  attempt: number;
  sent: number;
  pending: TextEvent | null;
  timer: NodeJS.Timeout | null;
}

/** Tells readers of a run what its nodes write, piece by piece; what is lost, they get with the result. */
export class RunTexts {
  private readonly texts = new Map<string, Text>();

  constructor(private readonly live: LiveBus) {}

  write(event: TextEvent): void {
    const key = `${event.runId}:${event.nodeId}`;
    const known = this.texts.get(key);
    const text: Text =
      known?.attempt === event.attempt ? known : { attempt: event.attempt, sent: 0, pending: null, timer: null };
    this.texts.delete(key);
    this.texts.set(key, text);
    text.pending = event;
    text.timer ??= setTimeout(() => this.send(text), EVERY_MS);
    const [oldest] = this.texts.keys();
    if (this.texts.size > MAX_TEXTS) this.texts.delete(oldest!);
  }

  private send(text: Text): void {
    text.timer = null;
    if (!text.pending) return;
    const { workflowId, version, nodeId, attempt, written } = text.pending;
    const offset = text.sent;
    text.sent = written.length;
    text.pending = null;
    this.live.publish(`run-text:${workflowId}`, {
      runVersion: version,
      nodeId,
      attempt,
      offset,
      text: written.slice(offset),
    });
  }
}
