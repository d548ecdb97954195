import { CEREMONY_SECONDS, PasskeySignIn, Public, rateKey, readAssertion } from '@app/auth';
import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { RateLimiter } from '../http/rate-limiter.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { ModelCatalog } from '../profile/model-catalog.js';
import { toUserResponse } from '../profile/profile.dto.js';
import { Profiles } from '../profile/profiles.js';
import { toSessionResponse } from '../sessions/sessions.dto.js';
import { SignIn } from '../sessions/sign-in.js';
import { credentialOf } from './credential-of.js';
import { CeremonyResponse, PasskeySessionResponse, SignInFinishRequest } from './passkeys.dto.js';

const PER_CREDENTIAL = { bucket: 'passkey', perMinute: 10 };

@ApiTags('Passkeys')
@PartOf('core')
@Controller('users/passkeys/login/discoverable')
export class PasskeySignInController {
  constructor(
    private readonly passkeys: PasskeySignIn,
    private readonly signIn: SignIn,
    private readonly profiles: Profiles,
    private readonly models: ModelCatalog,
    private readonly limiter: RateLimiter,
  ) {}

  @Post('begin/')
  @Public()
  @Route({
    summary: 'Begin to sign in with a passkey',
    description: 'Nobody says who they are: the options suit a button and the autofill of a form alike.',
    errors: 'fields+error',
    response: CeremonyResponse,
    rate: { bucket: 'passkey-begin', perMinute: 60 },
  })
  async begin(): Promise<CeremonyResponse> {
    const { ceremonyId, options } = await this.passkeys.begin();
    return { ceremony_id: ceremonyId, expires_in: CEREMONY_SECONDS, options };
  }

  @Post('finish/')
  @Public()
  @Route({
    summary: 'Sign in with a passkey',
    description:
      'Takes what `startAuthentication` gave, under `credential` or as the body itself. Sets the cookie `refresh_token`.',
    errors: 'fields+error',
    response: PasskeySessionResponse,
    rate: { bucket: 'passkey-finish', perMinute: 60 },
  })
  async finish(
    @Body() body: SignInFinishRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PasskeySessionResponse> {
    const received = readAssertion(credentialOf(body));
    if (received) await this.limiter.hit(PER_CREDENTIAL, rateKey(received.credential.id), response);
    const { userId, encryptionKey } = await this.passkeys.verify(body.ceremony_id ?? null, received);
    const session = await this.signIn.begin(userId, 'passkey', request, response);
    const profile = await this.profiles.get(userId);
    return {
      ...toSessionResponse(session),
      user: toUserResponse(profile, await this.models.find(userId, profile.llm_model_id)),
      ...(encryptionKey === null ? {} : { encryption_key: encryptionKey }),
    };
  }
}
