import { CurrentUser, type Principal } from '@app/auth';
import { BillingDesk, BillingHistory, Checkouts, PlanChanges, PresentPlan } from '@app/billing';
import { PlanCatalog, type SubscriptionRow } from '@app/entitlements';
import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { PageQuery, toPageRequest, toPageResponse } from '../http/pagination.js';
import { Route } from '../http/route.js';
import { Profiles } from '../profile/profiles.js';
import { PlansResponse, toPlanResponse } from './plans.dto.js';
import { ChangedSubscriptionResponse, toSubscriptionResponse } from './subscription.dto.js';
import {
  CancelRequest,
  CheckoutRequest,
  CheckoutResponse,
  InvoicePage,
  PlanChangeRequest,
  PortalSessionResponse,
  PresentPlanResponse,
  toCheckoutResponse,
  toInvoiceResponse,
  toPresentPlanResponse,
} from './subscriptions.dto.js';
import { PartOf } from '../http/part-of.js';

/** docs/contract/billing.md. */
@ApiTags('Plans')
@PartOf('core')
@Controller('subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly desk: BillingDesk,
    private readonly catalog: PlanCatalog,
    private readonly checkouts: Checkouts,
    private readonly changes: PlanChanges,
    private readonly present: PresentPlan,
    private readonly history: BillingHistory,
    private readonly profiles: Profiles,
  ) {}

  @Get('plans/')
  @Route({
    summary: 'List what is sold',
    description: 'The plans of this deployment, and what you have. 404 `billing_not_available` where nothing is sold.',
    scope: 'profile:read',
    errors: { 404: 'detail', 502: 'detail' },
    response: PlansResponse,
  })
  async plans(@CurrentUser() viewer: Principal): Promise<PlansResponse> {
    const { yearlyDiscountPercent } = this.desk.offering();
    const { buyer, live } = await this.present.of(viewer);
    const code = live?.plan.code ?? null;
    return {
      plans: this.catalog.plans.map((plan) => toPlanResponse(plan, code)),
      current: live && toSubscriptionResponse(live, buyer),
      yearly_discount_percent: yearlyDiscountPercent,
    };
  }

  @Get('current/')
  @Route({
    summary: 'What you have now',
    description: 'Your subscription or that of your organisation, with its plan as it was sold; and an order of yours.',
    scope: 'profile:read',
    errors: { 404: 'detail', 502: 'detail' },
    response: PresentPlanResponse,
  })
  async current(@CurrentUser() viewer: Principal): Promise<PresentPlanResponse> {
    return toPresentPlanResponse(await this.present.of(viewer));
  }

  @Post('checkout-session/')
  @Route({
    summary: 'Order a plan',
    open: true,
    description:
      'Opens a pay page. Nothing is charged until somebody pays there; it closes after 23 hours. The same order again gets the same page, another one closes the former.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail', 502: 'detail' },
    response: CheckoutResponse,
    startsSomething: true,
  })
  async order(@CurrentUser() viewer: Principal, @Body() body: CheckoutRequest): Promise<CheckoutResponse> {
    const { plan_code: planCode, billing_period: billingPeriod, seats, coupon_code: couponCode } = body;
    return toCheckoutResponse(await this.checkouts.open(viewer, { planCode, billingPeriod, seats, couponCode }));
  }

  @Post('change/')
  @Route({
    summary: 'Change the plan or its seats',
    open: true,
    description:
      'At once; what was paid in advance is reckoned in. What is stored beyond the new plan stays readable. 409 `payment_declined` when what is due cannot be had: nothing changes, another card is chosen in the portal.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail', 502: 'detail' },
    response: ChangedSubscriptionResponse,
  })
  async change(
    @CurrentUser() viewer: Principal,
    @Body() { plan_code: planCode, seats }: PlanChangeRequest,
  ): Promise<ChangedSubscriptionResponse> {
    const row = await this.changes.change(viewer, { planCode, seats });
    return this.toChanged(viewer, row, 'The plan was changed.');
  }

  @Post('cancel/')
  @Route({
    bodyOptional: true,
    summary: 'Cancel the plan',
    open: true,
    description: 'At once: nothing more is charged, and the free tier is what is left.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail', 502: 'detail' },
    response: ChangedSubscriptionResponse,
  })
  async cancel(
    @CurrentUser() viewer: Principal,
    @Body() { reason }: CancelRequest,
  ): Promise<ChangedSubscriptionResponse> {
    return this.toChanged(viewer, await this.changes.cancel(viewer, reason), 'The plan was cancelled.');
  }

  @Get('history/')
  @Route({
    summary: 'List invoices',
    description: 'Of what you bought, and of the organisation that you are an owner of; the newest first.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail', 502: 'detail' },
    response: InvoicePage,
  })
  async invoices(
    @CurrentUser() viewer: Principal,
    @Query() query: PageQuery,
    @Req() request: Request,
  ): Promise<InvoicePage> {
    const at = toPageRequest(query);
    const { count, items } = await this.history.list(viewer, at);
    const nameOf = (code: string) => this.catalog.find(code)?.name ?? null;
    return toPageResponse({ count, items: items.map((entry) => toInvoiceResponse(entry, nameOf)) }, at, request);
  }

  @Post('portal-session/')
  @Route({
    summary: 'Open the portal of the payment processor',
    open: true,
    description:
      'Where cards are changed, and open invoices are paid. 404 `no_active_subscription` for who never paid.',
    errors: { 404: 'detail', 502: 'detail' },
    response: PortalSessionResponse,
  })
  async portal(@CurrentUser() viewer: Principal): Promise<PortalSessionResponse> {
    const { url, expiresAt } = await this.history.openPortal(viewer);
    return { url, expires_at: new Date(expiresAt) };
  }

  private async toChanged(
    viewer: Principal,
    row: SubscriptionRow,
    message: string,
  ): Promise<ChangedSubscriptionResponse> {
    const buyer = await this.desk.buyer(viewer.userId);
    const { entitlements } = await this.profiles.get(viewer.userId);
    return { message, subscription: toSubscriptionResponse(row, buyer), entitlements };
  }
}
