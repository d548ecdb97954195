import type { AppOffer } from '@app/workflows';
import {
  BooleanField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  UuidField,
} from '../../http/fields.js';
import { NodeRowResponse } from '../node-row.dto.js';

export class AdoptNodesRequest {
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'The revision that you have read: what was changed since is not adopted. The newest when absent.',
  })
  content_revision?: number | null;
}

export class AdoptedNodesResponse {
  @UuidField()
  workflow_id: string;

  @ListField(kinds.string(), {
    description: 'Ids of the nodes that acted as somebody else; in bodies like `loop/search`.',
  })
  adopted: string[];

  @ListField(() => NodeRowResponse)
  nodes: NodeRowResponse[];
}

export class ConsentRequest {
  @IntegerField({ min: 1, description: 'The `revision` that asks.' })
  revision: number;
}

class AgreementResponse {
  @IntegerField()
  revision: number;

  @ListField(kinds.string())
  kinds: string[];

  @ListField(kinds.string())
  hosts: string[];

  @DateTimeField()
  at: Date;
}

export class ConsentResponse {
  @BooleanField({ description: 'The newest revision reaches more than was agreed to.' })
  required: boolean;

  @IntegerField({ description: 'The newest revision of the workflow that the app follows.' })
  revision: number;

  @ListField(kinds.string(), { description: 'Kinds of nodes that reach things of the receiver.' })
  kinds: string[];

  @ListField(kinds.string(), { description: 'Hosts that it sends to; `*` where a run decides.' })
  hosts: string[];

  @IntegerField({ description: 'The revision that the app has now.' })
  running_revision: number;

  @BooleanField({ description: 'Whether the revision that the app has may run.' })
  may_run: boolean;

  @NestedField(() => AgreementResponse, { nullable: true, description: 'What was agreed to last.' })
  agreed: AgreementResponse | null;
}

export function toConsentResponse({
  revision,
  installed,
  needed,
  isAsking,
  mayRun,
  agreed,
}: AppOffer): ConsentResponse {
  return {
    required: isAsking,
    revision,
    kinds: needed.kinds,
    hosts: needed.hosts,
    running_revision: installed,
    may_run: mayRun,
    agreed: agreed && { ...agreed, at: new Date(agreed.at) },
  };
}
