import {
  CEREMONY_SECONDS,
  CurrentUser,
  PasskeyRegistration,
  Passkeys,
  type Principal,
  readRegistration,
} from '@app/auth';
import { ValidationError } from '@app/common';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { credentialOf } from './credential-of.js';
import {
  CeremonyResponse,
  PasskeyResponse,
  RegistrationBeginRequest,
  RegistrationFinishRequest,
  RegistrationFinishResponse,
  RemoveRequest,
  RemoveResponse,
  RenameRequest,
  toPasskeyResponse,
  toRemoveResponse,
} from './passkeys.dto.js';

@ApiTags('Passkeys')
@PartOf('core')
@Controller('users/passkeys')
export class PasskeysController {
  constructor(
    private readonly registration: PasskeyRegistration,
    private readonly passkeys: Passkeys,
  ) {}

  @Post('register/begin/')
  @Route({
    bodyOptional: true,
    summary: 'Begin to add a passkey',
    description: 'The options for the browser (WebAuthn). The challenge counts once and for a few minutes.',
    errors: { 400: 'fields+error', 409: 'detail' },
    response: CeremonyResponse,
    open: true,
  })
  async begin(@CurrentUser() viewer: Principal, @Body() { name }: RegistrationBeginRequest): Promise<CeremonyResponse> {
    const { ceremonyId, options } = await this.registration.begin(viewer, name ?? '');
    return { ceremony_id: ceremonyId, expires_in: CEREMONY_SECONDS, options };
  }

  @Post('register/finish/')
  @Route({
    summary: 'Add a passkey',
    description: 'Takes what `startRegistration` gave, under `credential` or as the body itself.',
    errors: 'fields+error',
    response: RegistrationFinishResponse,
    status: 201,
    startsSomething: true,
    open: true,
  })
  async finish(
    @CurrentUser() viewer: Principal,
    @Body() body: RegistrationFinishRequest,
  ): Promise<RegistrationFinishResponse> {
    const passkey = await this.registration.finish(viewer, {
      ceremonyId: body.ceremony_id ?? null,
      name: body.name ?? '',
      received: readRegistration(credentialOf(body)),
      rekWrapped: body.rek_wrapped ?? null,
    });
    return { message: 'The passkey was added.', passkey: toPasskeyResponse(passkey) };
  }

  @Get()
  @Route({
    summary: 'List my passkeys',
    description: 'With the name of each, when it was last used, and whether it is blocked as a suspected clone.',
    response: [PasskeyResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<PasskeyResponse[]> {
    return (await this.passkeys.listOwn(viewer)).map(toPasskeyResponse);
  }

  @Post('remove/')
  @Route({
    summary: 'Remove a passkey',
    description: 'Unless it is the only way left to sign in.',
    errors: { 400: 'fields+error', 404: 'detail', 409: 'detail' },
    response: RemoveResponse,
    open: true,
  })
  async remove(
    @CurrentUser() viewer: Principal,
    @Body() { id, credential_id }: RemoveRequest,
  ): Promise<RemoveResponse> {
    if (typeof id === 'number') return toRemoveResponse(await this.passkeys.remove(viewer, { id }));
    if (!credential_id) throw new ValidationError({ id: ['This field is required.'] });
    return toRemoveResponse(await this.passkeys.remove(viewer, { credentialId: credential_id }));
  }

  @Post('rename/')
  @Route({
    summary: 'Rename a passkey',
    description: 'Only its name changes. 404 for passkeys of others.',
    errors: { 400: 'fields+error', 404: 'detail' },
    response: PasskeyResponse,
    open: true,
  })
  async rename(@CurrentUser() viewer: Principal, @Body() { id, name }: RenameRequest): Promise<PasskeyResponse> {
    return toPasskeyResponse(await this.passkeys.rename(viewer, id, name));
  }
}
