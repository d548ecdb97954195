import { setTimeout as sleep } from 'node:timers/promises';
import { CurrentUser, Passwords, type Principal, Public, rateKey, RecoveryCodeMail } from '@app/auth';
import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { addressKey, RateLimiter } from '../http/rate-limiter.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { type SlowLimit, SlowLimiter } from '../http/slow-limiter.js';
import {
  ChangePasswordRequest,
  ForgetPasswordRequest,
  PasswordMessageResponse,
  RecoveryCodeRequest,
  SetPasswordRequest,
} from './passwords.dto.js';

const PER_ACCOUNT = { bucket: 'password', perMinute: 10 };
const RECOVERIES_PER_ADDRESS: SlowLimit = { bucket: 'recovery', limit: 5, seconds: 3600 };
const RECOVERIES_PER_IP: SlowLimit = { bucket: 'recovery-ip', limit: 30, seconds: 3600 };
const RECOVERY_MAILS: SlowLimit = { bucket: 'recovery-mail', limit: 5, seconds: 3600 };
/** A refusal takes so long whether recovery is set up or not, and with whatever derivation. */
const REFUSED_AFTER_MS = 700;

@ApiTags('Passwords')
@PartOf('core')
@Controller('users')
export class PasswordsController {
  constructor(
    private readonly passwords: Passwords,
    private readonly mail: RecoveryCodeMail,
    private readonly limiter: RateLimiter,
    private readonly slowLimiter: SlowLimiter,
  ) {}

  @Post('password/change/')
  @Route({
    summary: 'Change my password',
    description: 'Every other session ends. The client wraps its own keys anew.',
    errors: 'error',
    response: PasswordMessageResponse,
    open: true,
  })
  async change(
    @CurrentUser() viewer: Principal,
    @Body() { old_password, new_password }: ChangePasswordRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PasswordMessageResponse> {
    await this.limiter.hit(PER_ACCOUNT, String(viewer.userId), response);
    await this.passwords.change(viewer, old_password, new_password);
    return { message: 'Your password was changed.' };
  }

  @Post('password/set/')
  @Route({
    summary: 'Set a password',
    description: 'For accounts of single sign-on and passkeys; with the current one where there is one.',
    errors: 'error',
    response: PasswordMessageResponse,
    open: true,
  })
  async set(
    @CurrentUser() viewer: Principal,
    @Body() { new_password, current_password }: SetPasswordRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PasswordMessageResponse> {
    await this.limiter.hit(PER_ACCOUNT, String(viewer.userId), response);
    await this.passwords.set(viewer, new_password, current_password ?? undefined);
    return { message: 'Your password was set.' };
  }

  @Post('password/forget/')
  @Public()
  @Route({
    summary: 'Set a new password with the recovery code',
    description: 'Every session ends. Five tries an hour per address.',
    errors: { 400: 'error', 404: 'error' },
    response: PasswordMessageResponse,
  })
  async forget(
    @Body() { email, recovery_code, new_password }: ForgetPasswordRequest,
    @Req() request: Request,
  ): Promise<PasswordMessageResponse> {
    await this.slowLimiter.hit(RECOVERIES_PER_IP, addressKey(request));
    await this.slowLimiter.hit(RECOVERIES_PER_ADDRESS, rateKey(email));
    const soonest = sleep(REFUSED_AFTER_MS);
    try {
      await this.passwords.recover(email, recovery_code, new_password);
    } catch (error) {
      await soonest;
      throw error;
    }
    return { message: 'Your password was set. Sign in with it.' };
  }

  @Post('recovery-code/send-email/')
  @Route({
    summary: 'Mail me my recovery code',
    description: 'To the address of the account. Five an hour.',
    errors: { 400: 'error', 500: 'error' },
    response: PasswordMessageResponse,
    startsSomething: true,
    open: true,
  })
  async sendRecoveryCode(
    @CurrentUser() viewer: Principal,
    @Body() { recovery_code }: RecoveryCodeRequest,
  ): Promise<PasswordMessageResponse> {
    await this.slowLimiter.hit(RECOVERY_MAILS, String(viewer.userId));
    await this.mail.send(viewer, recovery_code);
    return { message: 'The recovery code is on its way to your email address.' };
  }
}
