import { setTimeout as sleep } from 'node:timers/promises';
import { AddressConfirmation, CurrentUser, PhoneConfirmation, type Principal, Public, rateKey } from '@app/auth';
import { InvalidRequestError, NotFoundError } from '@app/common';
import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { addressKey } from '../http/rate-limiter.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { type SlowLimit, SlowLimiter } from '../http/slow-limiter.js';
import { MessageResponse, ResendRequest, VerifyNumberQuery, VerifyRequest } from './verification.dto.js';

const WRONG_CODES: SlowLimit = { bucket: 'wrong-codes', limit: 10, seconds: 600 };
const RESENDS_PER_ADDRESS: SlowLimit = { bucket: 'resend', limit: 5, seconds: 3600 };
const RESENDS_PER_IP: SlowLimit = { bucket: 'resend-ip', limit: 30, seconds: 3600 };
const TEXTS: SlowLimit = { bucket: 'phone-code', limit: 5, seconds: 3600 };
/** An answer takes so long whether there is an account or not. */
const SAME_TIME_MS = 60;

@ApiTags('Accounts')
@PartOf('core')
@Controller('users/verify')
export class VerificationController {
  constructor(
    private readonly addresses: AddressConfirmation,
    private readonly phones: PhoneConfirmation,
    private readonly limiter: SlowLimiter,
  ) {}

  @Post()
  @Public()
  @Route({
    summary: 'Confirm an e-mail address',
    description: 'With the code of the mail: six digits, ten minutes. Ten wrong codes per address in ten minutes.',
    errors: 'message',
    response: MessageResponse,
  })
  async verify(@Body() { otp, email = '' }: VerifyRequest, @Req() request: Request): Promise<MessageResponse> {
    const who = addressKey(request);
    await this.limiter.hit(WRONG_CODES, who);
    const outcome = /^\d{6}$/.test(otp) ? await this.addresses.confirm(otp, email || null) : null;
    if (!outcome) throw new InvalidRequestError('The code is invalid or has expired.', { code: 'invalid_code' });
    await this.limiter.forgive(WRONG_CODES, who);
    return {
      message: outcome.awaitsApproval
        ? 'Your email address is verified. Your account is awaiting approval.'
        : 'Your email address is verified.',
    };
  }

  @Post('resend/')
  @Public()
  @Route({
    summary: 'Send the code again',
    description: 'The code before is void. Five an hour per address.',
    errors: { 400: 'message', 404: 'message' },
    response: MessageResponse,
  })
  async resend(@Body() { email }: ResendRequest, @Req() request: Request): Promise<MessageResponse> {
    await this.limiter.hit(RESENDS_PER_IP, addressKey(request));
    await this.limiter.hit(RESENDS_PER_ADDRESS, rateKey(email));
    const [outcome] = await Promise.all([this.addresses.resend(email), sleep(SAME_TIME_MS)]);
    if (outcome === 'unknown') throw new NotFoundError('No account has this email address.');
    return {
      message:
        outcome === 'sent' ? 'A new code was sent to your email address.' : 'This email address is already verified.',
    };
  }

  @Post('number/')
  @Route({
    summary: 'Send a code to my phone',
    description: 'By SMS or WhatsApp, to the number of the profile. Five an hour.',
    errors: 'error',
    response: MessageResponse,
    startsSomething: true,
  })
  async sendNumberCode(@CurrentUser() viewer: Principal): Promise<MessageResponse> {
    await this.limiter.hit(TEXTS, String(viewer.userId));
    await this.phones.sendCode(viewer);
    return { message: 'A code was sent to your phone.' };
  }

  @Get('number/')
  @Route({
    summary: 'Confirm my phone number',
    description: 'With the code that was sent to it.',
    errors: { 400: 'message', 404: 'message' },
    response: MessageResponse,
  })
  async verifyNumber(
    @CurrentUser() viewer: Principal,
    @Query() { token }: VerifyNumberQuery,
  ): Promise<MessageResponse> {
    if (!token) throw new InvalidRequestError('The token is missing.', { code: 'token_missing' });
    const confirmed = /^\d{6}$/.test(token) && (await this.phones.confirm(viewer, token));
    if (!confirmed) throw new NotFoundError('The code was not recognised.', { code: 'code_not_recognised' });
    return { message: 'Your phone number is verified.' };
  }
}
