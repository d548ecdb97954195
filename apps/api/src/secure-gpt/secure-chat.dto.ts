import { AnyField, ChoiceField, IntegerField, ListField, StringField, UuidField } from '../http/fields.js';

const MAX_FILES = 10;
/** `enc:v1:<iv>:<ct>` (docs/contract/accounts.md#keys-of-clients). */
const ENCRYPTED = /^enc:v1:[A-Za-z0-9_-]{16}:[A-Za-z0-9_-]+$/;

export class AttachedFile {
  @UuidField({ optional: true })
  uid?: string;

  @StringField({
    optional: true,
    minLength: 1,
    maxLength: 2000,
    description: 'Its media path, where that is known instead.',
  })
  path?: string;

  @StringField({ optional: true, allowBlank: true, maxLength: 255 })
  name?: string;
}

export class SecureChatRequest {
  // Missing and blank messages have an error code of their own, so they are judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'The question: 1 to 100,000 characters.' })
  message?: unknown;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'A session of the kind `chat`, as an earlier answer named it in X-Chat-Session-Id.',
  })
  chat_session_id?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 1, description: 'Of `GET /users/models/`.' })
  llm_model_id?: number | null;

  @ListField(() => AttachedFile, { optional: true, maxItems: MAX_FILES })
  attached_files?: AttachedFile[];

  @StringField({
    optional: true,
    nullable: true,
    pattern: /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/,
    maxLength: 35,
    description: 'Of the answer, such as `en`; that of the question when absent.',
  })
  language?: string | null;

  @ChoiceField(['low', 'medium', 'high'], { optional: true, nullable: true })
  reasoning_effort?: 'low' | 'medium' | 'high' | null;

  @AnyField({
    optional: true,
    nullable: true,
    description:
      '`true`, or `{history: [{role: user|assistant, content}]}` with what was said so far, decrypted for this call alone: ' +
      'the server keeps nothing of question and answer that it could read.',
  })
  encrypted?: unknown;

  @StringField({
    optional: true,
    minLength: 1,
    maxLength: 128,
    description: 'The client’s name for the turn: the same name again is answered with the same turn.',
  })
  client_turn_id?: string;
}

export class KeepEncryptedRequest {
  @StringField({ maxLength: 400_000, pattern: ENCRYPTED, description: '`enc:v1:<iv>:<ct>`' })
  question: string;

  @StringField({ maxLength: 4_000_000, pattern: ENCRYPTED, description: '`enc:v1:<iv>:<ct>`' })
  answer: string;

  @StringField({
    optional: true,
    maxLength: 2000,
    pattern: ENCRYPTED,
    description: 'Of the session, as `enc:v1:<iv>:<ct>`.',
  })
  title?: string;
}
