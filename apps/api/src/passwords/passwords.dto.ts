import { EmailField, StringField } from '../http/fields.js';

const PASSWORD = { trim: false, maxLength: 1024 };

export class ChangePasswordRequest {
  @StringField(PASSWORD)
  old_password: string;

  @StringField(PASSWORD)
  new_password: string;
}

export class SetPasswordRequest {
  @StringField(PASSWORD)
  new_password: string;

  @StringField({ ...PASSWORD, optional: true, nullable: true, allowBlank: true, description: 'When there is one.' })
  current_password?: string | null;
}

export class ForgetPasswordRequest {
  @EmailField()
  email: string;

  @StringField({ maxLength: 500, description: 'The code that the account was given when recovery was set up.' })
  recovery_code: string;

  @StringField(PASSWORD)
  new_password: string;
}

export class RecoveryCodeRequest {
  @StringField({ maxLength: 500 })
  recovery_code: string;
}

export class PasswordMessageResponse {
  @StringField()
  message: string;
}
