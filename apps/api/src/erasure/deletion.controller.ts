import { CurrentUser, type Principal } from '@app/auth';
import { Controller, Delete, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { StringField } from '../http/fields.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { RefreshCookie } from '../sessions/refresh-cookie.js';
import { AccountDeletion } from './account-deletion.js';

export class DeletionResponse {
  @StringField()
  message: string;
}

@ApiTags('Profile')
@PartOf('core')
@Controller('users')
export class DeletionController {
  constructor(
    private readonly deletion: AccountDeletion,
    private readonly cookie: RefreshCookie,
  ) {}

  @Delete('delete/')
  @Route({
    summary: 'Delete my account and everything that I own',
    description: 'At once and for good. What takes longer than some seconds goes on after the answer.',
    errors: { 500: 'error' },
    response: DeletionResponse,
  })
  async delete(
    @CurrentUser() viewer: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeletionResponse> {
    this.cookie.clear(response);
    const complete = await this.deletion.delete(viewer);
    return {
      message: complete
        ? 'Your account and everything that belonged to it were deleted.'
        : 'Your account is closed. What belonged to it is being deleted.',
    };
  }
}
