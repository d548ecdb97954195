import { ConflictError } from '@app/common';
import type { ConfiguredModels, ModelDefinition } from '@app/config';
import { LanguageModels, ModelProbes, type ModelTest } from '@app/models';
import { type RegisteredModelResponse, toConfiguredResponse } from './shown-model.dto.js';

/** The models of the settings, beside those that staff register. They are changed where they stand. */
export class SettingsModels {
  constructor(
    private readonly configured: ConfiguredModels,
    private readonly models: LanguageModels,
    private readonly probes: ModelProbes,
  ) {}

  list(): RegisteredModelResponse[] {
    return this.configured.list.map((model) => this.toResponse(model));
  }

  find(id: number): RegisteredModelResponse | null {
    const model = this.configured.list.find((one) => one.id === id);
    return model ? this.toResponse(model) : null;
  }

  /** @throws ConflictError `model_of_settings` */
  requireOther(id: number): void {
    if (this.configured.list.some((model) => model.id === id))
      throw new ConflictError('This model stands in the settings of the deployment, and is changed there.', {
        code: 'model_of_settings',
      });
  }

  /** Null for a model that is not of the settings. */
  async test(id: number, signal: AbortSignal): Promise<ModelTest | null> {
    if (!this.probes.find(id)) return null;
    const began = performance.now();
    await this.probes.run(signal, (probe) => probe.id === id);
    const { status, code, reason } = this.probes.find(id)!;
    const untold = status === 'unknown' ? 'Models of this kind are not asked.' : reason;
    return { ok: status === 'ok', code, reason: untold, latencyMs: Math.round(performance.now() - began) };
  }

  private toResponse(model: ModelDefinition): RegisteredModelResponse {
    return toConfiguredResponse(model, {
      isDefault: model.id === this.models.default.descriptor.id,
      currency: this.configured.currency,
      probe: this.probes.find(model.id),
    });
  }
}
