import type { ModelPatience } from '@app/config';
import type { EgressGuard } from '@app/integrations';

export const MODEL_RULES = Symbol('MODEL_RULES');

/** What the deployment says of models that are registered. */
export interface ModelRules {
  /** What models of people and organisations may call. */
  readonly guard: EgressGuard;
  /** How long a model has for an answer. */
  readonly patience: ModelPatience;
  /** Of all prices. */
  readonly currency: string;
  /** Ids that the settings use. */
  readonly configuredIds: ReadonlySet<number>;
}
