import { Module } from '@nestjs/common';
import { AccountsController } from './accounts.controller.js';
import { RegistrationService } from './registration.service.js';

@Module({ controllers: [AccountsController], providers: [RegistrationService], exports: [RegistrationService] })
export class AccountsModule {}
