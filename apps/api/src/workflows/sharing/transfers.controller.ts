import { CurrentUser, type Principal } from '@app/auth';
import { NotFoundError } from '@app/common';
import { WorkflowTransfers } from '@app/workflows';
import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { SlowLimiter } from '../../http/slow-limiter.js';
import {
  AcceptTransferRequest,
  AnsweredTransferResponse,
  OfferedTransferResponse,
  OfferTransferRequest,
  toTransferResponse,
  TransferResponse,
} from './sharing.dto.js';
import { SHARING } from './sharing-limit.js';

/** Handing a workflow over: the owner offers it, the other accepts (docs/contract/workflows.md#sharing). */
@ApiTags('Workflow sharing')
@PartOf('flowapps')
@Controller('microservices/workflow')
export class TransfersController {
  constructor(
    private readonly transfers: WorkflowTransfers,
    private readonly limiter: SlowLimiter,
  ) {}

  @Get('transfers/')
  @Route({
    summary: 'List workflows offered to you',
    description: 'Offers of other people to make you the owner, until you accept or decline.',
    scope: 'workflows:read',
    response: [TransferResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<TransferResponse[]> {
    return (await this.transfers.listReceived(viewer.userId)).map(toTransferResponse);
  }

  @Post('transfers/:transferId/accept/')
  @Route({
    bodyOptional: true,
    summary: 'Accept a workflow',
    description:
      'Its runs stop, its queue is emptied, schedules pause, webhook credentials are made anew and secrets are deleted. Its nodes go on acting as who last changed them, unless you adopt them.',
    errors: 'fields+error',
    scope: 'workflows:write',
    response: AnsweredTransferResponse,
    startsSomething: true,
  })
  async accept(
    @CurrentUser() viewer: Principal,
    @UuidParam('transferId') id: string,
    @Body() { keep_people: keepPeople, adopt, content_revision: revision }: AcceptTransferRequest,
  ): Promise<AnsweredTransferResponse> {
    const adopted = adopt === 'all' ? (revision ?? 'newest') : null;
    return { status: 'accepted', workflow_id: await this.transfers.accept(viewer, id, { keepPeople, adopt: adopted }) };
  }

  @Post('transfers/:transferId/decline/')
  @Route({
    forViewers: true,
    summary: 'Decline a workflow',
    description: 'The offer ends; the workflow stays with its owner.',
    scope: 'workflows:write',
    response: AnsweredTransferResponse,
    open: true,
  })
  async decline(
    @CurrentUser() viewer: Principal,
    @UuidParam('transferId') id: string,
  ): Promise<AnsweredTransferResponse> {
    await this.transfers.decline(viewer, id);
    return { status: 'declined', workflow_id: null };
  }

  @Post(':id/transfer/')
  @Route({
    summary: 'Offer a workflow to a new owner',
    description: 'In place of an offer made before. It ends after a week.',
    errors: 'fields+error',
    scope: 'workflows:write',
    response: OfferedTransferResponse,
    startsSomething: true,
  })
  async offer(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { email }: OfferTransferRequest,
  ): Promise<OfferedTransferResponse> {
    await this.limiter.hit(SHARING, String(viewer.userId));
    const transfer = await this.transfers.offer(viewer, id, email);
    if (!transfer)
      return { detail: 'The offer waits until the address is confirmed.', transfer: null, invited: [email] };
    const detail = 'The new owner has to accept the workflow.';
    return { detail, transfer: toTransferResponse(transfer), invited: [] };
  }

  @Get(':id/transfer/')
  @Route({
    summary: 'Get the open offer of a workflow',
    description: 'To whom the owner has offered it. 404 when there is none.',
    scope: 'workflows:read',
    response: TransferResponse,
  })
  async get(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<TransferResponse> {
    const transfer = await this.transfers.findOffered(viewer.userId, id);
    if (!transfer) throw new NotFoundError('There is no such offer.', { code: 'transfer_not_found' });
    return toTransferResponse(transfer);
  }

  @Delete(':id/transfer/')
  @Route({
    summary: 'Take the offer of a workflow back',
    description: 'Only before it was accepted. The workflow stays with its owner.',
    scope: 'workflows:write',
    response: null,
  })
  async withdraw(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<void> {
    await this.transfers.withdraw(viewer, id);
  }
}
