import { ValidationError } from '@app/common';
import type { FilledPrompt, ResourcePart, ServerPrompt, ServerResource } from '@app/mcp';
import { BooleanField, ChoiceField, IntegerField, ListField, ObjectField, StringField } from '../http/fields.js';
import { PageOf } from '../http/pagination.js';

export class ServerResourceResponse {
  @StringField({ description: 'With placeholders (RFC 6570) for a template.' })
  uri: string;

  @BooleanField()
  is_template: boolean;

  @StringField()
  name: string;

  @StringField()
  title: string;

  @StringField()
  description: string;

  @StringField({ nullable: true })
  mime_type: string | null;

  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  size_bytes: number | null;
}

export class ServerResourcePage extends PageOf(ServerResourceResponse) {}

export function toResourceResponse(resource: ServerResource): ServerResourceResponse {
  const { uri, isTemplate, name, title, description, mimeType, sizeBytes } = resource;
  return { uri, is_template: isTemplate, name, title, description, mime_type: mimeType, size_bytes: sizeBytes };
}

export class ReadResourceRequest {
  @StringField({ maxLength: 4000 })
  uri: string;
}

export class ResourcePartResponse {
  @StringField()
  uri: string;

  @StringField({ nullable: true })
  mime_type: string | null;

  @StringField({ nullable: true, description: 'Null for what is binary.' })
  text: string | null;

  @StringField({ nullable: true, description: 'Base64; null for text, and for what is too large.' })
  data: string | null;

  @BooleanField({ description: 'Whether a part is left out: 1 MB of text and 4 MB of data are given.' })
  truncated: boolean;
}

export class ReadResourceResponse {
  @ListField(() => ResourcePartResponse)
  contents: ResourcePartResponse[];
}

export function toReadResponse(parts: readonly ResourcePart[]): ReadResourceResponse {
  return {
    contents: parts.map(({ uri, mimeType, text, data, isCut }) => ({
      uri,
      mime_type: mimeType,
      text,
      data,
      truncated: isCut,
    })),
  };
}

export class PromptArgumentResponse {
  @StringField()
  name: string;

  @StringField()
  description: string;

  @BooleanField()
  required: boolean;
}

export class ServerPromptResponse {
  @StringField()
  name: string;

  @StringField()
  title: string;

  @StringField()
  description: string;

  @ListField(() => PromptArgumentResponse)
  arguments: PromptArgumentResponse[];
}

export class ServerPromptPage extends PageOf(ServerPromptResponse) {}

export function toPromptResponse({ name, title, description, arguments: args }: ServerPrompt): ServerPromptResponse {
  return { name, title, description, arguments: args };
}

export class FillPromptRequest {
  @StringField({ maxLength: 500, trim: false })
  name: string;

  @ObjectField({ optional: true, description: 'Texts by name.' })
  arguments?: Record<string, unknown>;
}

const MAX_ARGUMENT = 100_000;

/** @throws ValidationError */
export function toPromptValues({ arguments: given = {} }: FillPromptRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (typeof value !== 'string' || value.length > MAX_ARGUMENT)
        throw new ValidationError({ arguments: [`"${name}" must be a text of at most ${MAX_ARGUMENT} characters.`] });
      return [name, value];
    }),
  );
}

export class PromptMessageResponse {
  @ChoiceField(['user', 'assistant'])
  role: 'user' | 'assistant';

  @ObjectField({ description: 'A content block of MCP.' })
  content: Record<string, unknown>;
}

export class FillPromptResponse {
  @StringField()
  description: string;

  @ListField(() => PromptMessageResponse)
  messages: PromptMessageResponse[];
}

export function toFillResponse({ description, messages }: FilledPrompt): FillPromptResponse {
  return { description, messages };
}
