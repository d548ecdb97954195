import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isUuid, UnauthenticatedError } from '@app/common';
import type { LiveBus } from '@app/live';
import type { SealingService } from '@app/secrets';
import { Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import type { DataSource } from 'typeorm';
import { type CallProof, isBodySigned, isSigned } from './call-proof.js';
import { openWebhookKey } from './webhook-key-place.js';
import type { WebhookSecrets } from './webhook-secrets.js';

export interface WebhookTarget {
  workflowId: string;
  /** Null for the credential of the whole workflow. */
  nodeId: string | null;
  /** Whose workflow it is, as far as this process knows. */
  ownerId?: number;
}

export interface AuthenticatedCall {
  target: WebhookTarget;
  /**
   * The sender's id of this message, when the sender signed it: the same for each delivery. Of a signature that covers
   * neither an id nor a time it is the body's digest, so that nobody who has seen a call can make it again.
   */
  messageId: string | null;
}

/** All that calls of one credential are checked against. */
interface Entry {
  target: WebhookTarget | null;
  mac: Buffer;
  /** Hash of the secret that was found right last: what the next call most probably brings. */
  lastRight: Buffer | null;
  /** Opens the secret, for senders that sign with it instead of sending it. */
  openSecret(): string;
  /** Secrets that were replaced. */
  earlier: { secret: string; until: number }[];
  signing: { key: Webhook; until: number }[];
  until: number;
}

interface CredentialRow {
  workflow_id: string;
  owner_id: number;
  node_id: string | null;
  secret_mac: Buffer;
  secret_sealed: string;
  keys: { id: string; kind: 'secret' | 'signing'; sealed: string; until: number | null }[] | null;
}

/** For so long a change may go unnoticed by a process that the live bus does not reach. */
const CACHE_MS = 5000;
const CACHE_ENTRIES = 10_000;

/** Who may start a workflow from outside, without a session. */
export class WebhookAuthenticator {
  private readonly logger = new Logger(WebhookAuthenticator.name);
  private readonly cache = new Map<string, Entry>();
  private readonly loading = new Map<string, Promise<Entry>>();
  /** What an unknown id is compared with, so that it costs what a known one costs. */
  private readonly decoy: Entry;
  private isListening = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: WebhookSecrets,
    private readonly sealing: SealingService,
    private readonly live: LiveBus,
  ) {
    const secret = secrets.generate();
    this.decoy = {
      target: null,
      mac: secrets.mac(secret),
      lastRight: null,
      openSecret: () => secret,
      earlier: [],
      signing: [{ key: new Webhook(randomBytes(32).toString('base64')), until: Infinity }],
      until: 0,
    };
  }

  /**
   * A credential with a signing key takes signed calls only, any other one its secret or a body signed with it.
   * @throws UnauthenticatedError, the same for an unknown id and for a wrong proof.
   */
  authenticate(webhookId: string, proof: CallProof): Promise<AuthenticatedCall> {
    return this.check(webhookId, (entry) => this.judge(entry, proof));
  }

  /** For reading: the secret is enough. @throws UnauthenticatedError as above. */
  async authenticateSecret(webhookId: string, secret: string): Promise<WebhookTarget> {
    const call = await this.check(webhookId, (entry) => {
      const isRight = this.hasSecret(entry, secret);
      return isRight && entry.target ? { target: entry.target, messageId: null } : null;
    });
    return call.target;
  }

  /** A refusal always reads the row anew: what is cached may be older than the secret, and refusals take equally long. */
  private async check(
    webhookId: string,
    judge: (entry: Entry) => AuthenticatedCall | null,
  ): Promise<AuthenticatedCall> {
    const cached = this.cache.get(webhookId);
    const early = cached && cached.until > Date.now() ? judge(cached) : null;
    const call = early ?? judge(await this.load(webhookId));
    if (!call) throw invalidCredential();
    return call;
  }

  private judge(entry: Entry, proof: CallProof): AuthenticatedCall | null {
    const now = Date.now();
    const keys = entry.signing.filter(({ until }) => until > now).map(({ key }) => key);
    const isProven = proof.secret !== null && this.hasSecret(entry, proof.secret);
    const isSealed = isBodySigned(proof.bodySignature ? this.secretsOf(entry) : [], proof);
    const signs = isSigned(keys.length > 0 ? keys : this.decoy.signing.map(({ key }) => key), proof);
    const { target } = entry;
    // A secret that comes along must be right, whatever else proves the call.
    if (!target || (proof.secret !== null && !isProven)) return null;
    if (keys.length > 0) return signs ? { target, messageId: proof.signature?.id ?? null } : null;
    if (isProven) return { target, messageId: null };
    return isSealed ? { target, messageId: `body:${hash('sha256', proof.body ?? '')}` } : null;
  }

  private hasSecret(entry: Entry, secret: string): boolean {
    const now = Date.now();
    const digest = hash('sha256', secret, 'buffer');
    if (entry.lastRight && timingSafeEqual(entry.lastRight, digest)) return true;
    const isCurrent = this.secrets.matches(secret, entry.mac);
    if (isCurrent) entry.lastRight = digest;
    const isEarlier = entry.earlier.map((one) => one.until > now && this.secrets.isSame(one.secret, secret));
    return isCurrent || isEarlier.includes(true);
  }

  private secretsOf(entry: Entry): string[] {
    const now = Date.now();
    return [entry.openSecret(), ...entry.earlier.filter(({ until }) => until > now).map(({ secret }) => secret)];
  }

  private load(webhookId: string): Promise<Entry> {
    this.listen();
    const known = this.loading.get(webhookId);
    if (known) return known;
    const loading = this.read(webhookId).finally(() => this.loading.delete(webhookId));
    this.loading.set(webhookId, loading);
    return loading;
  }

  private async read(webhookId: string): Promise<Entry> {
    const [row] = await this.dataSource.query<CredentialRow[]>(
      `SELECT h.workflow_id, w.owner_id, h.node_id, h.secret_mac, h.secret_sealed, (
         SELECT jsonb_agg(jsonb_build_object('id', k.id, 'kind', k.kind, 'sealed', encode(k.key_sealed, 'hex'),
           'until', extract(epoch FROM k.expires_at) * 1000)) FROM workflow_webhook_keys k
         WHERE k.webhook_id = h.webhook_id AND (k.expires_at IS NULL OR k.expires_at > now())) AS keys
       FROM workflow_webhooks h JOIN workflows w ON w.id = h.workflow_id JOIN users o ON o.id = w.owner_id
       WHERE h.webhook_id = $1 AND w.deleted_at IS NULL AND o.is_active`,
      [isUuid(webhookId) ? webhookId : null],
    );
    if (!row) {
      this.cache.delete(webhookId);
      return this.decoy;
    }
    const keys = row.keys?.map((key) => ({
      kind: key.kind,
      value: openWebhookKey(this.sealing, key.id, Buffer.from(key.sealed, 'hex')),
      until: key.until ?? Infinity,
    }));
    const entry: Entry = {
      target: { workflowId: row.workflow_id, nodeId: row.node_id, ownerId: row.owner_id },
      mac: row.secret_mac,
      lastRight: null,
      openSecret: () => this.secrets.open(row.secret_sealed, webhookId),
      earlier:
        keys?.filter(({ kind }) => kind === 'secret').map(({ value, until }) => ({ secret: value, until })) ?? [],
      signing:
        keys
          ?.filter(({ kind }) => kind === 'signing')
          .map(({ value, until }) => ({ key: new Webhook(value), until })) ?? [],
      until: Date.now() + CACHE_MS,
    };
    this.cache.delete(webhookId);
    this.cache.set(webhookId, entry);
    if (this.cache.size > CACHE_ENTRIES) this.cache.delete(this.cache.keys().next().value!);
    return entry;
  }

  private listen(): void {
    if (this.isListening) return;
    this.isListening = true;
    this.live
      .subscribe('webhooks:changed', ({ webhookId }) => this.cache.delete(webhookId))
      .catch((error: Error) => this.logger.warn(`Changes of secrets are not pushed: ${error.message}`));
  }
}

export function invalidCredential(): UnauthenticatedError {
  return new UnauthenticatedError('Invalid webhook credentials.', { code: 'invalid_webhook_credentials' });
}
