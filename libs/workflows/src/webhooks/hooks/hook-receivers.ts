import { randomBytes } from 'node:crypto';
import type { LiveBus } from '@app/live';
import type { SealingService } from '@app/secrets';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { WebhookTarget } from '../webhook-authenticator.js';
import { type HookCall, type HookProof, proveHook } from './hook-proof.js';
import { hashOfToken, openSettings } from './hook-places.js';
import type { HookSettings } from './hook-settings.js';

/** What an address leads to. */
export interface HookReceiver {
  /** Null for an address that nobody has. */
  target: WebhookTarget | null;
  settings: HookSettings;
}

interface Entry extends HookReceiver {
  webhookId: string;
  /** When the address itself ends, or what is known of it is to be read again. */
  until: number;
}

type Row = Parameters<typeof openSettings>[1] & {
  workflow_id: string;
  node_id: string | null;
  owner_id: number;
  expires_at: Date | null;
};

/** For so long a change may go unnoticed by a process that the live bus does not reach. */
const CACHE_MS = 5000;
const CACHE_ENTRIES = 10_000;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Who may start a workflow by an address alone. */
export class HookReceivers {
  private readonly logger = new Logger(HookReceivers.name);
  private readonly cache = new Map<string, Entry>();
  /** What calls of unknown addresses are checked against, so that they cost what others cost. */
  private readonly decoy: HookReceiver = {
    target: null,
    settings: {
      scheme: 'github',
      challenge: 'none',
      headerName: null,
      username: null,
      secrets: [{ value: randomBytes(32).toString('base64url'), until: null }],
      verifyToken: null,
    },
  };
  private isListening = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly live: LiveBus,
  ) {}

  /**
   * Judges a call. What is cached may be older than a change, so that a refusal is never given from the cache: refusals
   * take equally long, whether the address is unknown, switched off, or known and the proof is wrong.
   * @param judge null refuses; it is asked a second time before that, and must keep nothing.
   * @returns null for every refusal.
   */
  async receive<T>(token: string, judge: (receiver: HookReceiver) => T | null): Promise<T | null> {
    const key = hashOfToken(token).toString('base64url');
    const cached = this.cache.get(key);
    const early = cached && cached.until > Date.now() ? judge(cached) : null;
    if (early !== null) return early;
    const receiver = (await this.read(token, key)) ?? this.decoy;
    const judged = judge(receiver);
    return receiver.target ? judged : null;
  }

  /** For `judge`. */
  prove({ settings }: HookReceiver, call: HookCall): HookProof {
    return proveHook(settings, call);
  }

  private async read(token: string, key: string): Promise<Entry | null> {
    this.listen();
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT r.webhook_id, r.scheme, r.challenge, r.settings_sealed, h.workflow_id, h.node_id, w.owner_id,
         u.expires_at
       FROM workflow_webhook_urls u JOIN workflow_webhook_receivers r ON r.webhook_id = u.webhook_id
       JOIN workflow_webhooks h ON h.webhook_id = r.webhook_id
       JOIN workflows w ON w.id = h.workflow_id JOIN users o ON o.id = w.owner_id
       WHERE u.token_hash = $1 AND (u.expires_at IS NULL OR u.expires_at > now()) AND w.deleted_at IS NULL AND o.is_active`,
      [TOKEN.test(token) ? hashOfToken(token) : null],
    );
    this.cache.delete(key);
    if (!row) return null;
    const entry: Entry = {
      webhookId: row.webhook_id,
      target: { workflowId: row.workflow_id, nodeId: row.node_id, ownerId: row.owner_id },
      settings: openSettings(this.sealing, row),
      until: Math.min(Date.now() + CACHE_MS, row.expires_at?.getTime() ?? Infinity),
    };
    this.cache.set(key, entry);
    if (this.cache.size > CACHE_ENTRIES) this.cache.delete(this.cache.keys().next().value!);
    return entry;
  }

  private listen(): void {
    if (this.isListening) return;
    this.isListening = true;
    this.live
      .subscribe('webhooks:changed', ({ webhookId }) => {
        for (const [key, entry] of this.cache) if (entry.webhookId === webhookId) this.cache.delete(key);
      })
      .catch((error: Error) => this.logger.warn(`Changes of addresses are not pushed: ${error.message}`));
  }
}
