import { AUDIT_ACTIONS, AuditChain, AuditReader, type AuditRecord } from '@app/audit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ChoiceField, DateTimeField, IntegerField, ListField, StringField } from '../http/fields.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';

const PAGE = 50;

export class AuditQuery {
  @StringField({ optional: true, maxLength: 254, description: 'A user name, or the number of an account.' })
  actor?: string;

  @ChoiceField(AUDIT_ACTIONS, { optional: true })
  action?: string;

  @StringField({ optional: true, maxLength: 254, description: 'As it stands in the entries, such as `user:7`.' })
  target?: string;

  @DateTimeField({ optional: true, description: 'Inclusive.' })
  from?: Date;

  @DateTimeField({ optional: true, description: 'Exclusive.' })
  to?: Date;

  @StringField({ optional: true, maxLength: 40, description: '`next_cursor` of the page before.' })
  cursor?: string;

  @IntegerField({ optional: true, min: 1, max: 500 })
  limit?: number;
}

export class AuditEventResponse {
  @StringField()
  id: string;

  @IntegerField({ description: 'From 1, without gaps.', max: Number.MAX_SAFE_INTEGER })
  seq: number;

  @DateTimeField()
  at: Date;

  @StringField({ nullable: true, description: 'Null for the system, and once the account is erased.' })
  actor: string | null;

  @StringField({ nullable: true })
  ip: string | null;

  @StringField()
  action: string;

  @StringField({ nullable: true, description: 'Null once the account is erased.' })
  target: string | null;

  @ChoiceField(['success', 'failure'])
  outcome: string;

  @StringField({ nullable: true })
  request_id: string | null;

  @StringField({ description: '`hash` of the entry before, in hexadecimal.' })
  prev_hash: string;

  @StringField()
  hash: string;
}

export class AuditPageResponse {
  @ListField(() => AuditEventResponse)
  results: AuditEventResponse[];

  @StringField({ nullable: true, description: 'For the next, older page.' })
  next_cursor: string | null;
}

export class AuditVerificationResponse {
  @IntegerField({ description: 'Entries that were checked.', max: Number.MAX_SAFE_INTEGER })
  length: number;

  @IntegerField({ nullable: true, description: 'The first entry that was changed; null when all are as written.' })
  broken: number | null;
}

function toAuditEventResponse(event: AuditRecord): AuditEventResponse {
  const { id, seq, at, actor, ip, action, target, outcome, hash } = event;
  return {
    id,
    seq,
    at,
    actor,
    ip,
    action,
    target,
    outcome,
    request_id: event.requestId,
    prev_hash: event.prevHash,
    hash,
  };
}

/** The audit log, for staff (docs/contract/administration.md#audit). */
@ApiTags('Audit')
@PartOf('core')
@Controller('audit')
export class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly chain: AuditChain,
  ) {}

  @Get('events/')
  @Route({
    summary: 'Read the audit log',
    description:
      'What was done to accounts, rights and secrets, newest first, a page at a time, with who did it and from where.',
    errors: 'fields',
    response: AuditPageResponse,
    staffOnly: true,
  })
  async list(@Query() { cursor, limit, ...filter }: AuditQuery): Promise<AuditPageResponse> {
    const { events, nextCursor } = await this.reader.listForStaff(filter, cursor ?? null, limit ?? PAGE);
    return { results: events.map(toAuditEventResponse), next_cursor: nextCursor };
  }

  @Get('verify/')
  @Route({
    summary: 'Check the hash chain of the audit log',
    description:
      'Computes the chain over every entry again and names the first one that was changed or removed. It reads the whole log.',
    response: AuditVerificationResponse,
    staffOnly: true,
  })
  async verify(): Promise<AuditVerificationResponse> {
    await this.chain.extend();
    return this.chain.verify();
  }
}
