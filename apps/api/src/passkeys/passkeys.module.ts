import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module.js';
import { Ceremonies, CEREMONY_SECONDS } from './ceremonies.js';
import { OwnedPasskeys } from './owned-passkeys.js';
import { PasskeyRegistration } from './passkey-registration.js';
import { PasskeySignInController } from './passkey-sign-in.controller.js';
import { PasskeySignIn } from './passkey-sign-in.js';
import { PasskeysController } from './passkeys.controller.js';
import { Passkeys } from './passkeys.js';
import { relyingPartyOf } from './relying-party.js';
import { SuspectedClones } from './suspected-clones.js';
import { Webauthn } from './webauthn.js';

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
        OwnedPasskeys,
        PasskeyRegistration,
        PasskeySignIn,
        Passkeys,
        SuspectedClones,
        { provide: Webauthn, useFactory: () => new Webauthn(relyingPartyOf(config), CEREMONY_SECONDS * 1000) },
      ],
    };
  }
}
