import { BORROWED_NAME, isBorrowedName, Public, RegistrationService } from '@app/auth';
import { InvalidRequestError, parseEmail, parseText, Refusal } from '@app/common';
import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  type Availability,
  AvailabilityRequest,
  AvailabilityResponse,
  RegistrationRequest,
  RegistrationResponse,
  USERNAME_MESSAGE,
  USERNAME_RULES,
} from './registration.dto.js';

const readUsername = parseText(USERNAME_RULES);

@ApiTags('Accounts')
@PartOf('core')
@Controller()
export class RegistrationController {
  constructor(private readonly registration: RegistrationService) {}

  @Post('api/v1/users/')
  @Public()
  @Route({
    summary: 'Register',
    description: 'Mails a code that confirms the address; in Arabic when `Accept-Language` prefers it.',
    errors: 'fields',
    response: RegistrationResponse,
    status: 201,
  })
  async register(@Body() body: RegistrationRequest, @Req() request: Request): Promise<RegistrationResponse> {
    const { username, email, password, first_name = '', last_name = '', phone = null, promo_code } = body;
    const promoCode = promo_code ?? '';
    const names = { firstName: first_name, lastName: last_name };
    const language = request.acceptsLanguages('en', 'ar') === 'ar' ? 'ar' : 'en';
    const id = await this.registration.register({ username, email, password, ...names, phone, promoCode, language });
    return { id, first_name, last_name, username, email, phone };
  }

  @Post('users/check/availability/')
  @Public()
  @Route({
    summary: 'Ask whether a name or an address is free',
    description: 'For the form of registration. It says no more than that.',
    errors: 'error',
    response: AvailabilityResponse,
  })
  async checkAvailability(@Body() { username, email }: AvailabilityRequest): Promise<AvailabilityResponse> {
    if (!username && !email)
      throw new InvalidRequestError('Provide a username or an email.', { code: 'username_or_email_required' });
    return {
      ...(username ? { username: await this.username(username, email) } : {}),
      ...(email ? { email: await this.email(email) } : {}),
    };
  }

  private async username(value: string, email: string | undefined | null): Promise<Availability> {
    const name = readUsername(value);
    if (typeof name !== 'string') return { available: false, message: USERNAME_MESSAGE };
    // A name with an @ has to be one's own address: where that is not told, it is the name itself.
    const isAddress = name.includes('@');
    const isBorrowed = email ? isBorrowedName(name, email) : isAddress && parseEmail(name) instanceof Refusal;
    if (isBorrowed) return { available: false, message: BORROWED_NAME };
    const taken =
      (await this.registration.isTaken('username', name)) ||
      (isAddress && (await this.registration.isTaken('email', name)));
    return { available: !taken, message: taken ? 'This username is already taken.' : 'This username is available.' };
  }

  private async email(value: string): Promise<Availability> {
    if (parseEmail(value) instanceof Refusal) return { available: false, message: 'Enter a valid email address.' };
    const taken = await this.registration.isTaken('email', value);
    return { available: !taken, message: taken ? 'This email is already in use.' : 'This email is available.' };
  }
}
