import { AddressTrust } from '@app/access';
import { AuditLog } from '@app/audit';
import {
  AccountFactory,
  AddressConfirmation,
  CachedPrincipals,
  OneTimeCodes,
  PasswordHasher,
  PhoneConfirmation,
  PromoCodes,
  RegistrationService,
  Seats,
} from '@app/auth';
import type { AppConfig } from '@app/config';
import { Messages } from '@app/messages';
import { SoleTasks } from '@app/queues';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InvitationRedeemer } from '../invitations/invitation-redeemer.js';
import { LanguageModels } from '@app/models';
import { RegistrationController } from './registration.controller.js';
import { VerificationController } from './verification.controller.js';

/** Registration and what it needs; `AccountFactory` and `Seats` for every other way to make accounts. Global. */
@Module({})
export class RegistrationModule {
  static forRoot({ accounts, secrets, sessions, mail }: AppConfig): DynamicModule {
    const approval = { approvalNeeded: sessions.emailVerification, reviewers: mail.reviewers };
    return {
      module: RegistrationModule,
      global: true,
      controllers: [RegistrationController, VerificationController],
      providers: [
        {
          provide: AccountFactory,
          inject: [LanguageModels],
          useFactory: (models: LanguageModels) => new AccountFactory(() => models.default.descriptor.id),
        },
        { provide: AddressTrust, useValue: new AddressTrust(sessions.emailVerification) },
        Seats,
        PromoCodes,
        PhoneConfirmation,
        {
          provide: OneTimeCodes,
          inject: [DataSource, SoleTasks],
          useFactory: (dataSource: DataSource, tasks: SoleTasks) => new OneTimeCodes(dataSource, tasks, secrets.key),
        },
        {
          provide: AddressConfirmation,
          inject: [DataSource, OneTimeCodes, Messages, CachedPrincipals, AuditLog, InvitationRedeemer],
          useFactory: (...parts: Parts<typeof AddressConfirmation>) => new AddressConfirmation(...parts, approval),
        },
        {
          provide: RegistrationService,
          inject: [
            DataSource,
            PasswordHasher,
            AccountFactory,
            Seats,
            PromoCodes,
            AddressConfirmation,
            Messages,
            AuditLog,
          ],
          useFactory: (...parts: Parts<typeof RegistrationService>) =>
            new RegistrationService(...parts, accounts.registration),
        },
      ],
      exports: [AccountFactory, AddressTrust, Seats],
    };
  }
}

/** What a class is made of, but for the settings that come last. */
type Parts<C extends abstract new (...args: never[]) => unknown> =
  ConstructorParameters<C> extends [...infer P, unknown] ? P : never;
