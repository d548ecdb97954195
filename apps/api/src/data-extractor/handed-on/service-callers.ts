import { AccountProfiles, type Principal } from '@app/auth';
import { ForbiddenError } from '@app/common';
import type { ExtractorCaller } from '@app/integrations';
import { Injectable } from '@nestjs/common';

/** For whom an extractor that is a service of its own works: what the session says, never what a body says. */
@Injectable()
export class ServiceCallers {
  constructor(private readonly profiles: AccountProfiles) {}

  /** @throws ForbiddenError `email_required`: tables belong to addresses */
  async of({ userId }: Principal): Promise<ExtractorCaller> {
    const profile = await this.profiles.find(userId);
    const email = profile?.email.trim() ?? '';
    if (email === '') throw new ForbiddenError('The account has no email.', { code: 'email_required' });
    return { userId, email, organization: profile?.organization ?? '' };
  }
}
