import { BooleanField, ChoiceField, IntegerField, ObjectField, StringField, UuidField } from '../http/fields.js';

export class RerunRequest {
  @UuidField()
  workflow_id: string;

  @ObjectField({
    optional: true,
    nullable: true,
    description: 'Entry nodes get it as the parameter `_webhook_payload`.',
  })
  webhook_payload?: Record<string, unknown> | null;
}

export class RerunResponse {
  @StringField()
  message: string;

  @IntegerField({ description: 'The version that the run has in the history.' })
  version: number;
}

export class BranchRerunRequest extends RerunRequest {
  @StringField({ maxLength: 128 })
  start_node_id: string;

  @BooleanField({ default: false, description: 'False: the one node. True: it and everything after it.' })
  run_to_the_end: boolean;

  @BooleanField({ default: false })
  save_outputs: boolean;
}

export class BranchRerunResponse {
  @UuidField()
  workflow_id: string;

  @StringField()
  start_node_id: string;

  @BooleanField()
  run_to_the_end: boolean;

  @IntegerField()
  nodes_in_branch: number;

  @BooleanField()
  save_outputs: boolean;

  @StringField()
  message: string;
}

export class StopRequest {
  @UuidField()
  workflow_id: string;
}

export class StopResponse {
  @UuidField()
  workflow_id: string;

  @ChoiceField(['STOPPED'])
  status: string;

  @IntegerField()
  nodes_stopped: number;

  @StringField()
  message: string;
}
