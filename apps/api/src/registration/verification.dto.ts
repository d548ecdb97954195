import { EmailField, StringField } from '../http/fields.js';

export class VerifyRequest {
  @StringField({ maxLength: 20, description: 'The six digits of the mail.' })
  otp: string;

  @EmailField({ optional: true, description: 'The address that the code was sent to; makes guessing harder.' })
  email?: string;
}

export class ResendRequest {
  @EmailField()
  email: string;
}

export class VerifyNumberQuery {
  @StringField({ optional: true, allowBlank: true, description: 'The six digits of the message.' })
  token?: string;
}

export class MessageResponse {
  @StringField()
  message: string;
}
