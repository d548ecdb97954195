import { z } from 'zod';
import { SourceError } from '../source-error.js';

const token = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().default(3600) });

const driveItem = z.object({
  id: z.string().min(1),
  name: z.string().default(''),
  size: z.number().nullish(),
  eTag: z.string().nullish(),
  cTag: z.string().nullish(),
  lastModifiedDateTime: z.string().nullish(),
  file: z.looseObject({}).nullish(),
  folder: z.looseObject({}).nullish(),
  root: z.looseObject({}).nullish(),
  deleted: z.looseObject({}).nullish(),
  parentReference: z.object({ id: z.string().nullish(), path: z.string().nullish() }).nullish(),
});

const deltaPage = z.object({
  value: z.array(driveItem),
  '@odata.nextLink': z.string().optional(),
  '@odata.deltaLink': z.string().optional(),
});

const account = z.object({ email: z.string().nullish() }).nullish();
const permission = z.object({
  id: z.string().min(1),
  roles: z.array(z.string()).default([]),
  grantedToV2: z.object({ user: account, siteUser: account }).nullish(),
  invitation: account,
  link: z.looseObject({}).nullish(),
  inheritedFrom: z.looseObject({ id: z.string().optional() }).nullish(),
});
const permissions = z.object({ value: z.array(permission), '@odata.nextLink': z.string().optional() });

export type Permission = z.output<typeof permission>;
export type DriveItem = z.output<typeof driveItem>;

/** What Graph answers, checked for what is used of it. @throws SourceError for anything else */
function reader<T>(schema: z.ZodType<T>): (answer: unknown) => T {
  return (answer) => {
    const read = schema.safeParse(answer);
    if (read.success) return read.data;
    throw new SourceError('unavailable', 'Microsoft Graph answers something else than expected.', {
      cause: read.error,
    });
  };
}

export const readDriveItem = reader(driveItem);
export const readDeltaPage = reader(deltaPage);
export const readPermissions = reader(permissions);

export function readToken(answer: unknown): { value: string; seconds: number } {
  const { access_token, expires_in } = reader(token)(answer);
  return { value: access_token, seconds: expires_in };
}
