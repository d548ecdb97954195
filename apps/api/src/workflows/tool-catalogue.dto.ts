import {
  AnyField,
  BooleanField,
  ChoiceField,
  IntegerField,
  ListField,
  ObjectField,
  StringField,
} from '../http/fields.js';

class ToolParamOptionResponse {
  @StringField()
  value: string;

  @StringField()
  label: string;
}

class ToolParamResponse {
  @StringField()
  name: string;

  @StringField()
  label: string;

  @StringField()
  type: string;

  @BooleanField()
  required: boolean;

  @AnyField({ nullable: true })
  default: unknown;

  @ListField(() => ToolParamOptionResponse)
  options: ToolParamOptionResponse[];

  @StringField()
  description: string;

  @BooleanField()
  accepts_ref: boolean;

  @ObjectField({ nullable: true })
  visible_when: Record<string, unknown> | null;
}

class ToolOutletResponse {
  @StringField({
    description: 'Where the ids of the nodes that follow stand, like `next`, `if_true` or `cases[].next`.',
  })
  param: string;

  @ChoiceField(['node', 'params'], { description: 'Whether that is a field of the node, or one of its params.' })
  place: string;

  @StringField()
  label: string;

  @BooleanField({ description: 'Whether there is one in each item of the list.' })
  many: boolean;

  @StringField({ description: 'The `sourceHandle` of edges that leave here; `{index}` counts from 0.' })
  handle: string;
}

class ToolConnectionResponse {
  @StringField()
  type: string;

  @BooleanField()
  required: boolean;
}

/** A node kind (docs/contract/workflows.md#the-catalogue). */
export class ToolResponse {
  @StringField()
  kind: string;

  @StringField()
  name: string;

  @StringField()
  description: string;

  @StringField()
  category: string;

  @StringField()
  icon: string;

  @StringField()
  version: string;

  @BooleanField()
  deprecated: boolean;

  @BooleanField()
  is_entry: boolean;

  @BooleanField()
  is_branching: boolean;

  @BooleanField()
  is_batch_processor: boolean;

  @BooleanField()
  is_conversational: boolean;

  @ChoiceField(['none', 'idempotent', 'external'])
  side_effects: string;

  @IntegerField()
  timeout_seconds: number;

  @ListField(() => ToolParamResponse)
  params: ToolParamResponse[];

  @ListField(() => ToolOutletResponse, { description: 'The ways out of a node of this kind.' })
  outlets: ToolOutletResponse[];

  @ObjectField()
  params_schema: Record<string, unknown>;

  @ObjectField()
  output_schema: Record<string, unknown>;

  @ListField(() => ToolConnectionResponse)
  connections: ToolConnectionResponse[];

  @StringField({ nullable: true })
  feature: string | null;

  @BooleanField()
  available: boolean;

  @StringField({ nullable: true })
  unavailable_reason: string | null;
}

class ToolCategoryResponse {
  @StringField()
  key: string;

  @StringField()
  label: string;
}

export class ToolListingResponse {
  @IntegerField()
  count: number;

  @ListField(() => ToolCategoryResponse)
  categories: ToolCategoryResponse[];

  @ListField(() => ToolResponse)
  tools: ToolResponse[];
}

export class ToolListQuery {
  @StringField({ optional: true, allowBlank: true, maxLength: 64 })
  category?: string;

  @StringField({
    optional: true,
    allowBlank: true,
    maxLength: 255,
    description: 'Words, each in kind, name, description or category.',
  })
  search?: string;
}
