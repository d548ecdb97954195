import {
  Ceremonies,
  CEREMONY_SECONDS,
  PasskeyRegistration,
  Passkeys,
  PasskeySignIn,
  relyingPartyOf,
  SuspectedClones,
  Webauthn,
} from '@app/auth';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module.js';
import { PasskeySignInController } from './passkey-sign-in.controller.js';
import { PasskeysController } from './passkeys.controller.js';

/** Passkeys: adding, using and removing them (docs/contract/accounts.md#passkeys). */
@Module({})
export class PasskeysModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: PasskeysModule,
      imports: [ProfileModule],
      controllers: [PasskeysController, PasskeySignInController],
      providers: [
        Ceremonies,
        PasskeyRegistration,
        PasskeySignIn,
        Passkeys,
        SuspectedClones,
        { provide: Webauthn, useFactory: () => new Webauthn(relyingPartyOf(config), CEREMONY_SECONDS * 1000) },
      ],
    };
  }
}
