import { UnavailableError } from '@app/common';
import type { LanguageModels } from '@app/models';

/**
 * For what is nothing without a model, before anything of it is stored.
 * @param id of the model that the call names
 * @throws UnavailableError `model_not_configured`; NotFoundError for a model that there is not
 */
export function requireLanguageModel(models: LanguageModels, id: number | null | undefined): void {
  if (models.available && models.get(id).available) return;
  throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
}
