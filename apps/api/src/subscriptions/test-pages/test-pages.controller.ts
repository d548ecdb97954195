import { Public } from '@app/auth';
import { TEST_PAGES_PATH, TestPayer } from '@app/billing';
import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ChoiceField, StringField } from '../../http/fields.js';
import { Route } from '../../http/route.js';
import { checkoutBody } from './checkout-page.js';
import { readerLanguage, sendGone, sendPage } from './html-page.js';
import { invoiceBody, portalBody } from './portal-page.js';
import { type PageLanguage, WORDS } from './words.js';
import { PartOf } from '../../http/part-of.js';

const HTML = { contentType: 'text/html', description: 'A page for people.' } as const;

class CheckoutPageQuery {
  @StringField({ optional: true, maxLength: 10 })
  declined?: string;
}

class PageLanguageQuery {
  @ChoiceField(['en', 'ar'], { optional: true })
  lang?: PageLanguage;
}

class CheckoutAction {
  @ChoiceField(['pay', 'decline', 'leave'])
  action: 'pay' | 'decline' | 'leave';
}

class PortalAction {
  @ChoiceField(['advance', 'pay_open', 'fail_next', 'pay_next', 'leave'])
  action: 'advance' | 'pay_open' | 'fail_next' | 'pay_next' | 'leave';

  @StringField({ optional: true, maxLength: 100 })
  subscription?: string;
}

const GONE = { contentType: 'text/html', description: 'A page that says so.' };

/** As they are made; nothing else is looked for. */
const ID = /^t(?:cs|po|in)_[\w-]{36,43}$/;

/**
 * Pay page, portal and invoices of the test processor (BILLING=test). Nobody signs in: as at other processors, whoever has
 * the address, which cannot be guessed, may use it.
 */
@ApiTags('Plans')
@PartOf('core')
@Controller(TEST_PAGES_PATH)
export class TestPagesController {
  constructor(private readonly payer: TestPayer) {}

  @Get('checkout/:id/')
  @Public()
  @Route({ summary: 'The pay page', response: HTML, alsoAnswers: { 404: GONE } })
  async checkout(
    @Param('id') id: string,
    @Query() { declined }: CheckoutPageQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const checkout = ID.test(id) ? await this.payer.findCheckout(id) : null;
    if (checkout === null) return sendGone(response, readerLanguage(request.get('accept-language')));
    const { language, successUrl } = checkout.ordered;
    const isOver = checkout.status === 'expired' || (checkout.status === 'open' && checkout.expiresAt <= Date.now());
    const body = checkoutBody(checkout, { isDeclined: declined !== undefined, isOver });
    sendPage(response, { language, title: WORDS[language].payTitle, body, leadsTo: successUrl });
  }

  @Post('checkout/:id/')
  @Public()
  @Route({ summary: 'Pay, decline or leave', response: HTML, status: 303, alsoAnswers: { 404: GONE } })
  async act(
    @Param('id') id: string,
    @Body() { action }: CheckoutAction,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const act = () => (action === 'pay' ? this.payer.pay(id) : this.payer.findCheckout(id));
    const checkout = ID.test(id) ? await act() : null;
    if (checkout === null) return sendGone(response, readerLanguage(request.get('accept-language')));
    const { successUrl, cancelUrl } = checkout.ordered;
    if (action === 'leave') return response.redirect(303, cancelUrl);
    if (checkout.status === 'complete') return response.redirect(303, successUrl);
    response.redirect(303, checkout.status === 'open' && action === 'decline' ? './?declined=1' : './');
  }

  @Get('portal/:id/')
  @Public()
  @Route({ summary: 'The portal', response: HTML, alsoAnswers: { 404: GONE } })
  async portal(
    @Param('id') id: string,
    @Query() { lang }: PageLanguageQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const language = lang ?? readerLanguage(request.get('accept-language'));
    const portal = ID.test(id) ? await this.payer.findPortal(id) : null;
    if (portal === null) return sendGone(response, language);
    const declines = await this.payer.declines(portal);
    const paidFor = await this.payer.listPaidFor(portal);
    const body = portalBody({ language, declines, paidFor });
    sendPage(response, { language, title: WORDS[language].portalTitle, body, leadsTo: portal.returnUrl });
  }

  @Post('portal/:id/')
  @Public()
  @Route({ summary: 'What people do there', response: HTML, status: 303, alsoAnswers: { 404: GONE } })
  async actAtPortal(
    @Param('id') id: string,
    @Body() { action, subscription = '' }: PortalAction,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const portal = ID.test(id) ? await this.payer.findPortal(id) : null;
    if (portal === null) return sendGone(response, readerLanguage(request.get('accept-language')));
    if (action === 'leave') return response.redirect(303, portal.returnUrl);
    if (action === 'advance') await this.payer.advance(portal, subscription);
    else if (action === 'pay_open') await this.payer.payOpen(portal, subscription);
    else await this.payer.setDeclines(portal, action === 'fail_next');
    response.redirect(303, './');
  }

  @Get('invoices/:id/')
  @Public()
  @Route({ summary: 'An invoice', response: HTML, alsoAnswers: { 404: GONE } })
  async invoice(
    @Param('id') id: string,
    @Query() { lang }: PageLanguageQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const language = lang ?? readerLanguage(request.get('accept-language'));
    const invoice = ID.test(id) ? await this.payer.findInvoice(id) : null;
    if (invoice === null) return sendGone(response, language);
    const title = `${WORDS[language].invoice} ${invoice.number ?? ''}`.trim();
    sendPage(response, { language, title, body: invoiceBody(invoice, language) });
  }
}
