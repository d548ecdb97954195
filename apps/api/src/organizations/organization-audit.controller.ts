import { AUDIT_ACTIONS, AuditReader } from '@app/audit';
import { CurrentUser, MemberList, type Principal } from '@app/auth';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ChoiceField, DateTimeField, IntegerField, ListField, StringField, UuidField } from '../http/fields.js';
import { Route } from '../http/route.js';
import { PartOf } from '../http/part-of.js';

const PAGE = 50;

export class OrganizationAuditQuery {
  @StringField({ optional: true, maxLength: 254, description: 'A user name, or the number of an account.' })
  actor?: string;

  @ChoiceField(AUDIT_ACTIONS, { optional: true })
  action?: string;

  @DateTimeField({ optional: true, description: 'Inclusive.' })
  from?: Date;

  @DateTimeField({ optional: true, description: 'Exclusive.' })
  to?: Date;

  @StringField({ optional: true, maxLength: 40, description: '`next_cursor` of the page before.' })
  cursor?: string;

  @IntegerField({ optional: true, min: 1, max: 500 })
  limit?: number;
}

export class OrganizationAuditEventResponse {
  @UuidField()
  id: string;

  @DateTimeField()
  at: Date;

  @IntegerField({ nullable: true, description: 'Null for the system, and once the account is erased.' })
  actor_id: number | null;

  @StringField({ nullable: true, description: 'Null for the system, and once the account is erased.' })
  actor: string | null;

  @StringField()
  action: string;

  @StringField({ nullable: true, description: 'Null once the account is erased.' })
  target: string | null;

  @ChoiceField(['success', 'failure'])
  outcome: string;
}

export class OrganizationAuditPage {
  @ListField(() => OrganizationAuditEventResponse)
  results: OrganizationAuditEventResponse[];

  @StringField({ nullable: true, description: 'For the next, older page.' })
  next_cursor: string | null;
}

/** The audit log of one organisation, for its owners and admins (docs/contract/organisations.md#audit). */
@ApiTags('Organisations')
@PartOf('audit_logs')
@Controller('organisations/current/audit')
export class OrganizationAuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly members: MemberList,
  ) {}

  @Get()
  @Route({
    summary: 'Read the audit log of my organisation',
    open: false,
    description:
      'What its people did while they belonged to it, newest first, a page at a time. For its owners and admins. Addresses are not shown.',
    errors: { 400: 'fields', 404: 'detail' },
    response: OrganizationAuditPage,
  })
  async list(
    @CurrentUser() viewer: Principal,
    @Query() { cursor, limit, ...filter }: OrganizationAuditQuery,
  ): Promise<OrganizationAuditPage> {
    const { organizationId } = await this.members.requireManager(viewer);
    const page = await this.reader.listForOrganization(organizationId, filter, cursor ?? null, limit ?? PAGE);
    const results = page.events.map(({ actorId, ...event }) => ({ ...event, actor_id: actorId }));
    return { results, next_cursor: page.nextCursor };
  }
}
