import { DomainError, ValidationError } from '@app/common';
import { addressOfRegistered, endpointOf, mistakesOfHeaders, type ModelProtocol } from '@app/config';
import { faultOf, listOfferedModels, listsModels, type OfferedModel } from '@app/integrations';
import { SealingService } from '@app/secrets';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { probe } from '../probes/model-probes.js';
import { keyOf, requireCallable } from './model-draft.js';
import { MODEL_RULES, type ModelRules } from './model-rules.js';
import { type ModelActor, type ModelScope, RegisteredModels } from './registered-models.js';
import { NO_SECRETS, openSecrets, type RegisteredRecord, type RegisteredRow, toDefinition } from './registered-row.js';

/** How an endpoint answered; never an exception for what is wrong with it. */
export interface ModelTest {
  ok: boolean;
  /** As clients see it when they ask the model; null where it answered. */
  code: string | null;
  /** In words, without key, prompt and answer. */
  reason: string | null;
  latencyMs: number;
}

export interface Discovery {
  protocol?: ModelProtocol | undefined;
  baseUrl?: string | undefined;
  apiKey?: string | null | undefined;
  headers?: unknown;
  /** A model that there is: what is absent is taken from it, its secrets for its own address alone. */
  id?: number | undefined;
}

const DISCOVERY_MS = 20_000;

/** Tries what was registered, or is about to be. */
@Injectable()
export class ModelTests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly registered: RegisteredModels,
    private readonly sealing: SealingService,
    @Inject(MODEL_RULES) private readonly rules: ModelRules,
  ) {}

  /** Asks for a word, and writes down how that came out. @throws NotFoundError, ForbiddenError */
  async test(
    scope: ModelScope,
    actor: ModelActor,
    id: number,
    signal: AbortSignal,
  ): Promise<{ test: ModelTest; model: RegisteredRecord }> {
    const row = await this.registered.rowOf(scope, actor, id);
    const began = performance.now();
    const guard = scope === 'platform' ? undefined : this.rules.guard;
    const { status, code, reason } = await probe(toDefinition(row, this.sealing, this.rules.patience), signal, guard);
    signal.throwIfAborted();
    const test = { ok: status === 'ok', code, reason, latencyMs: Math.round(performance.now() - began) };
    // Of the model as it was asked: a change meanwhile has its own tests.
    await this.dataSource.query(
      `UPDATE registered_models SET test_status = $3, test_code = $4, test_reason = $5, tested_at = now()
       WHERE id = $1 AND version = $2`,
      [id, row.version, test.ok ? 'ok' : 'failed', code, reason],
    );
    return { test, model: await this.registered.get(scope, actor, id) };
  }

  /** Asks an endpoint which models it has. @throws ValidationError, NotFoundError, ForbiddenError */
  async discover(
    scope: Exclude<ModelScope, 'platform'>,
    actor: ModelActor,
    wanted: Discovery,
    signal: AbortSignal,
  ): Promise<ModelTest & { models: OfferedModel[] }> {
    const known = wanted.id === undefined ? null : await this.registered.rowOf(scope, actor, wanted.id);
    // That the person manages an organisation at all.
    if (!known) await this.registered.requireScope(scope, actor);
    const endpoint = this.endpointOf(wanted, known);
    await requireCallable({ protocol: endpoint.protocol, base_url: endpoint.baseUrl }, this.rules.guard);
    const began = performance.now();
    const within = AbortSignal.any([signal, AbortSignal.timeout(DISCOVERY_MS)]);
    try {
      const models = await listOfferedModels({ ...endpoint, guard: this.rules.guard }, within);
      return { ok: true, code: null, reason: null, latencyMs: Math.round(performance.now() - began), models };
    } catch (error) {
      signal.throwIfAborted();
      const code = error instanceof DomainError ? error.code : 'model_error';
      const reason = faultOf(error)?.message ?? 'The endpoint could not be asked.';
      return { ok: false, code, reason, latencyMs: Math.round(performance.now() - began), models: [] };
    }
  }

  private endpointOf({ protocol, baseUrl, apiKey, headers }: Discovery, known: RegisteredRow | null) {
    const written = {
      protocol: protocol ?? known?.definition.protocol,
      provider: protocol === undefined ? known?.definition.provider : undefined,
      base_url: baseUrl ?? known?.definition.base_url,
    };
    const endpoint = endpointOf(written, undefined);
    const wrong = mistakesOfHeaders(headers ?? {});
    const [first] = wrong;
    if (first) throw new ValidationError({ [first.field]: [first.problem] });
    if (!listsModels(endpoint.protocol))
      throw new ValidationError({ protocol: ['Endpoints of this protocol do not list their models.'] });
    if (!URL.canParse(endpoint.baseUrl)) throw new ValidationError({ base_url: ['Say where the endpoint is.'] });
    const isSame = known !== null && addressOfRegistered(known.definition) === endpoint.baseUrl;
    const kept = isSame ? openSecrets(this.sealing, known) : NO_SECRETS;
    return {
      ...endpoint,
      apiKey: apiKey === undefined ? kept.apiKey : keyOf(apiKey),
      headers: headers === undefined ? kept.headers : (headers as Record<string, string>),
    };
  }
}
