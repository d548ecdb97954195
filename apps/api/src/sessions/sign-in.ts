import { Admission, type IssuedSession, type SignInOrigin } from '@app/auth';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { userAgentOf } from '../http/user-agent.js';
import { InvitationRedeemer } from '../invitations/invitation-redeemer.js';
import { RefreshCookie } from './refresh-cookie.js';

/** The end of every sign-in, whatever proved who it is: may the account in, and then its session begins. */
@Injectable()
export class SignIn {
  constructor(
    private readonly admission: Admission,
    private readonly cookie: RefreshCookie,
    private readonly invitations: InvitationRedeemer,
  ) {}

  /**
   * Begins a session and sets the refresh cookie.
   * @param passwordHash what a password was proved against: one that was changed in the meantime proves nothing more
   * @throws ValidationError under `non_field_errors`, with the messages of docs/contract/sessions.md#sign-in
   */
  async begin(
    userId: number,
    method: SignInOrigin['method'],
    request: Request,
    response: Response,
    passwordHash?: string,
  ): Promise<IssuedSession> {
    const origin = { ip: request.ip ?? '', userAgent: userAgentOf(request), method };
    const issued = await this.admission.begin(userId, origin, passwordHash);
    await this.invitations.redeemFor(userId);
    this.cookie.set(response, issued.refreshToken, issued.absoluteExpiresIn);
    return issued;
  }
}
