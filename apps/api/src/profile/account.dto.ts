import type { DirectoryEntry, EditedProfile, LinkedProvider, MethodsOfAccount, ProfileChange } from '@app/auth';
import { PERSON_NAME_RULES, USERNAME_RULES } from '../registration/registration.dto.js';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  EmailField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  StringField,
} from '../http/fields.js';

const MOST_DIGITS = 999_999_999_999_999;

export class ProfileRequest {
  @StringField({ optional: true, ...PERSON_NAME_RULES })
  first_name?: string;

  @StringField({ optional: true, ...PERSON_NAME_RULES })
  last_name?: string;

  @StringField({ optional: true, ...USERNAME_RULES })
  username?: string;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MOST_DIGITS, description: 'Digits, without the plus.' })
  phone?: number | null;

  @ChoiceField(['en', 'ar'], { optional: true })
  language?: 'en' | 'ar';

  @IntegerField({ optional: true, nullable: true, description: 'Of GET /users/models/.' })
  llm_model_id?: number | null;
}

export function toProfileChange(request: ProfileRequest): ProfileChange {
  const { first_name, last_name, username, phone, language, llm_model_id } = request;
  return {
    ...(first_name === undefined ? {} : { firstName: first_name }),
    ...(last_name === undefined ? {} : { lastName: last_name }),
    ...(username === undefined ? {} : { username }),
    ...(phone === undefined ? {} : { phone }),
    ...(language === undefined ? {} : { language }),
    ...(llm_model_id === undefined ? {} : { llmModelId: llm_model_id }),
  };
}

export class EditedProfileInfo {
  @StringField()
  first_name: string;

  @StringField()
  last_name: string;

  @StringField()
  username: string;

  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  phone: number | null;

  @ChoiceField(['en', 'ar'])
  language: string;

  @IntegerField({ nullable: true })
  llm_model_id: number | null;
}

export class ProfileResponse {
  @NestedField(() => EditedProfileInfo)
  info: EditedProfileInfo;
}

export function toProfileResponse({ phone, ...row }: EditedProfile): ProfileResponse {
  return { info: { ...row, phone: phone === null ? null : Number(phone) } };
}

export class DirectoryEntryResponse implements DirectoryEntry {
  @IntegerField()
  id: number;

  @StringField()
  username: string;

  @StringField({ description: 'Full name; the user name when there is none.' })
  display_name: string;

  @EmailField()
  email: string;

  @ListField(kinds.string())
  roles: string[];
}

export class DirectoryResponse {
  @ListField(() => DirectoryEntryResponse, { maxItems: 10_000 })
  users: DirectoryEntryResponse[];
}

export class WrittenFilesResponse {
  @ListField(kinds.string(), { maxItems: 100_000 })
  files: string[];
}

export class LinkedProviderState {
  @BooleanField()
  linked: boolean;

  @StringField({ description: 'Empty when not linked.' })
  email: string;

  @BooleanField({ description: 'Whether a wrapped recovery key is kept for it.' })
  has_encryption_key: boolean;

  @DateTimeField({ optional: true, description: 'When linked.' })
  linked_at?: Date;
}

export class LinkedProviderStates {
  @NestedField(() => LinkedProviderState)
  sso_platform: LinkedProviderState;

  @NestedField(() => LinkedProviderState)
  sso_org: LinkedProviderState;
}

export class ConnectedResponse {
  @NestedField(() => LinkedProviderStates)
  providers: LinkedProviderStates;

  @BooleanField()
  has_password: boolean;

  @IntegerField()
  passkey_count: number;

  @IntegerField({ description: 'With 1, the remaining method cannot be removed.' })
  auth_method_count: number;
}

export function toConnectedResponse(linked: LinkedProvider[], methods: MethodsOfAccount): ConnectedResponse {
  const stateOf = (provider: LinkedProvider['provider']): LinkedProviderState => {
    const found = linked.find((one) => one.provider === provider);
    if (!found) return { linked: false, email: '', has_encryption_key: false };
    const { email, hasEncryptionKey, linkedAt } = found;
    return { linked: true, email, has_encryption_key: hasEncryptionKey, linked_at: linkedAt };
  };
  return {
    providers: { sso_platform: stateOf('sso_platform'), sso_org: stateOf('sso_org') },
    has_password: methods.hasPassword,
    passkey_count: methods.passkeyCount,
    auth_method_count: methods.count,
  };
}

export class MigrateChatsRequest {
  @StringField({ optional: true, allowBlank: true, maxLength: 200, description: '32 bytes in hex; used, never kept.' })
  dek?: string;
}

export class MigratedChatsResponse {
  @IntegerField({ description: 'Messages that this call encrypted.' })
  migrated: number;
}
