import {
  AccountProfiles,
  BORROWED_NAME,
  type EditedProfile,
  isBorrowedName,
  type Principal,
  type ProfileChange,
} from '@app/auth';
import { ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { ModelCatalog } from './model-catalog.js';

/** Changes of a profile, of which some are rules of the api. */
@Injectable()
export class ProfileEdits {
  constructor(
    private readonly accounts: AccountProfiles,
    private readonly models: ModelCatalog,
  ) {}

  /** A new phone number has to be confirmed again. @throws ValidationError */
  async apply(viewer: Principal, change: ProfileChange): Promise<EditedProfile> {
    await this.check(viewer, change);
    return this.accounts.change(viewer, change);
  }

  private async check({ userId, email }: Principal, { username, llmModelId }: ProfileChange): Promise<void> {
    if (username !== undefined && isBorrowedName(username, email))
      throw new ValidationError({ username: [BORROWED_NAME] });
    if (typeof llmModelId === 'number' && !(await this.models.isAnswering(userId, llmModelId)))
      throw new ValidationError({ llm_model_id: [`Invalid pk "${llmModelId}" - object does not exist.`] });
  }
}
