import { isDictionary } from '@app/common';
import { isShownSecret, REDACTED, redactShown } from '@app/observability';
import { Redaction } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import type { GatewayEvent } from '../gateway/agent-gateway.js';

/** Shorter ones would blot out ordinary text. */
const SHORTEST = 8;
/** For which what was read of somebody's secrets holds: one that is stored now may be used by the run that begins next. */
const FRESH_MS = 1000;
const MOST_KEPT = 200;
const DEEPEST = 12;

/** What the process knows of a person's secrets, and of its own. */
export abstract class KnownSecrets {
  /** Of the deployment, and those that the user has stored. */
  abstract of(userId: number): Promise<readonly string[]>;
}

/** What an agent says to its person, and what that person said: told as it is. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  'message.delta': ['delta'],
  'run.completed': ['output', 'sources', 'generated_files_urls'],
  'run.failed': ['output'],
  'run.steered': ['message'],
};
/** By which something is named elsewhere. */
const NAMES = new Set(['request_id', 'step_id', 'choices', 'choice', 'expires_at', 'code', 'usage', 'event_type']);

/**
 * Takes secrets out of what is told of runs beside their answers: previews, commands, descriptions, errors, telemetry,
 * whichever gateway tells them. What an approval would send stays to be seen (libs/observability/src/shown-secrets.ts).
 */
@Injectable()
export class ShownEvents {
  private readonly kept = new Map<number, { redaction: Promise<Redaction>; until: number }>();

  constructor(private readonly secrets: KnownSecrets) {}

  async of(userId: number, events: readonly GatewayEvent[]): Promise<GatewayEvent[]> {
    // Most are pieces of an answer.
    if (events.every(({ event }) => event === 'message.delta')) return [...events];
    const redaction = await this.redactionOf(userId);
    return events.map((event) => shown(event, redaction));
  }

  private redactionOf(userId: number): Promise<Redaction> {
    const known = this.kept.get(userId);
    if (known && known.until > Date.now()) return known.redaction;
    const values = this.secrets.of(userId);
    const redaction = values.then((all) => new Redaction(all.filter((one) => one.length >= SHORTEST)));
    redaction.catch(() => this.kept.delete(userId));
    this.kept.delete(userId);
    this.kept.set(userId, { redaction, until: Date.now() + FRESH_MS });
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return redaction;
  }
}

export function shown(told: GatewayEvent, redaction: Redaction): GatewayEvent {
  const said = SAID[told.event] ?? [];
  const data = Object.entries(told.data).map(([name, value]) => [
    name,
    said.includes(name) ? value : member(name, value, redaction, 0),
  ]);
  return { ...told, data: Object.fromEntries(data) as Record<string, unknown> };
}

function member(name: string, value: unknown, redaction: Redaction, depth: number): unknown {
  if (NAMES.has(name)) return value;
  if (typeof value === 'string') return isShownSecret(name, value) ? REDACTED : redactShown(redaction.ofText(value));
  if (Array.isArray(value) && depth < DEEPEST)
    return value.map((item: unknown) => member(name, item, redaction, depth + 1));
  if (!isDictionary(value)) return typeof value === 'object' && value !== null ? null : value;
  if (depth >= DEEPEST) return null;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redaction.ofText(key), member(key, item, redaction, depth + 1)]),
  );
}
