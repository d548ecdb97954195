import type { LanguageModel } from './language-model.port.js';

/**
 * Who answers somebody: every call of a model is made for a person, and reaches the model of that person's choice. There
 * is no model for everything else, so that no helping call sends to another model what was meant for this one.
 */
export abstract class ChosenModels {
  /** Whether there is a model at all. */
  abstract readonly available: boolean;

  /**
   * The model that the request names, else the one that the user chose in the profile, else the default one.
   * @param userId null where the work is nobody's: the default one
   * @throws NotFoundError `model_not_found` for one that was named; a chosen one that is configured no more is passed over
   */
  abstract choose(userId: number | null, named?: number | null): Promise<LanguageModel>;
}
