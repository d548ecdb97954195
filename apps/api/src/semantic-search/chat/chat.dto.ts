import { SEARCH_MODES, type SearchMode } from '@app/retrieval';
import { ChatRequest } from '../../chats/chat-request.dto.js';
import { ChoiceField, IntegerField, ListField, StringField, UuidField, kinds } from '../../http/fields.js';

export class SingleFileChatRequest extends ChatRequest {
  @UuidField()
  uid: string;
}

export class MultiFileChatRequest extends ChatRequest {
  @ListField(kinds.uuid(), { minItems: 1, description: '1 to 50 documents.' })
  uids: string[];
}

const FOLDER = { optional: true, nullable: true, allowBlank: true, maxLength: 1000 } as const;

const TAGS = {
  optional: true,
  nullable: true,
  maxItems: 50,
  description: 'Only one’s own documents that have all of these tags, whatever their case.',
} as const;

export class AllFilesChatRequest extends ChatRequest {
  @StringField({ ...FOLDER, description: 'Only this folder of one’s own, and below.' })
  folder?: string | null;

  @ListField(kinds.string(), TAGS)
  tags?: string[] | null;
}

export class ScopedChatRequest extends ChatRequest {
  @ListField(kinds.uuid(), {
    optional: true,
    nullable: true,
    minItems: 1,
    description: '1 to 50 documents; without `folder`.',
  })
  uids?: string[] | null;

  @StringField({ ...FOLDER, description: 'Only this folder of one’s own, and below; without `uids`.' })
  folder?: string | null;

  @ListField(kinds.string(), TAGS)
  tags?: string[] | null;
}

export class AdvancedSearchRequest extends ScopedChatRequest {
  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 1000,
    description: 'What to look for; the message when absent.',
  })
  query?: string | null;

  @ChoiceField(SEARCH_MODES, { default: 'hybrid' })
  mode: SearchMode;

  @IntegerField({ min: 1, max: 50, default: 10, description: 'Passages that the answer may rest on.' })
  limit: number;
}
