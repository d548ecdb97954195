import { InvalidRequestError } from '@app/common';
import { TOOL_STATES, type ToolChoice, type ToolRow, type ToolState } from '@app/mcp';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  ObjectField,
  StringField,
} from '../http/fields.js';
import { PageOf, PageQuery } from '../http/pagination.js';

const STATES = '`on`: offered to the agent. `new`, `changed`: waits for you to accept it. `off`: you switched it off.';

export class ServerToolsQuery extends PageQuery {
  @StringField({
    form: 'NFC',
    optional: true,
    allowBlank: true,
    maxLength: 200,
    description: 'Part of name, title or description.',
  })
  search?: string;

  @ChoiceField(TOOL_STATES, { optional: true, description: STATES })
  state?: ToolState;
}

export class ServerToolResponse {
  @StringField()
  name: string;

  @StringField({ description: 'What the agent calls it.' })
  offered_name: string;

  @StringField()
  title: string;

  @StringField({ description: "The server's own words." })
  description: string;

  @ObjectField()
  input_schema: Record<string, unknown>;

  @ObjectField({ nullable: true })
  output_schema: Record<string, unknown> | null;

  @ObjectField({ description: 'What the server claims: `readOnlyHint`, `destructiveHint` and so on.' })
  annotations: Record<string, unknown>;

  @ChoiceField(TOOL_STATES, { description: STATES })
  state: ToolState;

  @BooleanField()
  enabled: boolean;

  @StringField({ description: 'Of the definition as it is now.' })
  definition_hash: string;

  @ObjectField({ nullable: true, description: 'What you accepted, while the server tells something else.' })
  accepted_definition: Record<string, unknown> | null;

  @DateTimeField()
  changed_at: Date;
}

export class ServerToolPage extends PageOf(ServerToolResponse) {}

export function toServerToolResponse(tool: ToolRow): ServerToolResponse {
  return {
    name: tool.name,
    offered_name: tool.offeredName,
    title: tool.title,
    description: tool.description,
    input_schema: tool.inputSchema,
    output_schema: tool.outputSchema,
    annotations: { ...tool.annotations },
    state: tool.state,
    enabled: tool.enabled,
    definition_hash: tool.definitionHash,
    accepted_definition: tool.acceptedDefinition,
    changed_at: tool.changedAt,
  };
}

export class ChosenToolsRequest {
  @ListField(kinds.string({ maxLength: 200, trim: false }), { optional: true, maxItems: 500 })
  names?: string[];

  @BooleanField({ default: false, description: 'All tools of the server, in place of names.' })
  all: boolean;
}

export class AcceptToolsRequest extends ChosenToolsRequest {
  @ObjectField({
    optional: true,
    description:
      'The `definition_hash` that you saw, by name. When the server has changed a tool since, nothing is accepted (409).',
  })
  hashes?: Record<string, unknown>;
}

/** @throws InvalidRequestError (`tools_required`) */
export function toToolChoice({ names, all }: ChosenToolsRequest): ToolChoice {
  if (all) return { all };
  if (!names || names.length === 0)
    throw new InvalidRequestError('Name the tools, or say all.', { code: 'tools_required' });
  return { names };
}

export function toHashes({ hashes = {} }: AcceptToolsRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(hashes).map(([name, hash]) => [name, String(hash)]));
}

export class ToolsChangedResponse {
  @IntegerField({ description: 'Tools that were changed by this.' })
  count: number;
}
