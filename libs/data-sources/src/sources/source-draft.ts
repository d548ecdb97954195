import { domainToASCII } from 'node:url';
import { isIP } from 'node:net';
import { type FieldErrors, ValidationError } from '@app/common';
import { EgressError, type EgressGuard } from '@app/integrations';
import {
  type DatabaseType,
  type DataSourceDraft,
  type KnownType,
  SOURCE_TYPES,
  type SslMode,
} from '../shapes/source-shapes.js';

/** Where a connection leads, and as whom. */
export interface Destination {
  type: DatabaseType;
  host: string;
  port: number;
  database: string;
  username: string;
  sslMode: SslMode;
}

/** Everything of a source but its secret, complete. */
export interface CheckedSource extends Destination {
  name: string;
  schemas: string[];
}

const RESOLVE_MS = 2000;
const PORTS: Record<DatabaseType, number> = { postgres: 5432, mysql: 3306 };
export const ONLY_ENCRYPTED = 'Only hosts that this deployment lists may be called without encryption.';
const REQUIRED = 'This field is required.';
const BLANK = 'This field may not be blank.';
/** Labels of letters, digits, hyphens and underscores, such as the names of containers. */
const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/;

/**
 * The draft over what is known, checked field by field; all mistakes are told at once.
 * @param known null for a source that is new
 * @throws ValidationError
 */
export async function checkDraft(
  draft: DataSourceDraft,
  known: CheckedSource | null,
  guard: EgressGuard,
): Promise<CheckedSource> {
  const errors: FieldErrors = {};
  const type = readType(draft.type, known, errors);
  const text = (field: 'database' | 'username'): string => {
    const value = draft[field] ?? known?.[field];
    if (value === undefined) errors[field] = [REQUIRED];
    else if (value.trim() === '') errors[field] = [BLANK];
    else if (hasControls(value)) errors[field] = ['Control characters are not allowed.'];
    return value ?? '';
  };
  const name = cleanName(draft.name ?? known?.name, errors);
  const host = readHost(draft.host ?? known?.host, errors);
  const port = draft.port ?? known?.port ?? PORTS[type];
  const database = text('database');
  const username = text('username');
  const sslMode = draft.sslMode ?? known?.sslMode ?? 'verify-full';
  const schemas = [...new Set(draft.schemas ?? known?.schemas ?? [])];
  if (schemas.some((schema) => schema.trim() === '' || hasControls(schema)))
    errors.schemas = ['Names of schemas are neither blank nor have control characters.'];
  if (!errors.host) {
    if (!mayBePlain({ sslMode, host, port }, guard)) errors.ssl_mode = [ONLY_ENCRYPTED];
    if (sslMode === 'verify-full' && type === 'mysql' && isIP(host) !== 0)
      errors.ssl_mode = ['A certificate is verified by name: give the name of the host.'];
    const refusal = await refusalOf(host, port, guard);
    if (refusal !== null) errors.host = [refusal];
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return { type, name, host, port, database, username, sslMode, schemas };
}

/** Also asked at each connection: what the deployment lists may have changed since the source was saved. */
export function mayBePlain(
  { sslMode, host, port }: Pick<Destination, 'sslMode' | 'host' | 'port'>,
  guard: EgressGuard,
): boolean {
  return sslMode !== 'disable' || guard.isAllowed(host, port);
}

/** Whether a secret that was given for the one may not go to the other without being given anew. */
export function leadsElsewhere(known: Destination, wanted: Destination): boolean {
  const isWeaker = strengthOf(wanted.sslMode) < strengthOf(known.sslMode);
  return (
    isWeaker ||
    known.host !== wanted.host ||
    known.port !== wanted.port ||
    known.database !== wanted.database ||
    known.username !== wanted.username
  );
}

function strengthOf(mode: SslMode): number {
  return ['disable', 'require', 'verify-full'].indexOf(mode);
}

function readType(given: KnownType | undefined, known: CheckedSource | null, errors: FieldErrors): DatabaseType {
  if (known) {
    if (given !== undefined && given !== known.type)
      errors.type = ['The type of a source stays. Connect another source instead.'];
    return known.type;
  }
  const type = SOURCE_TYPES.find((each) => each === given);
  if (type) return type;
  errors.type = [given === undefined ? REQUIRED : 'Not supported by this deployment.'];
  return 'postgres';
}

function cleanName(given: string | undefined, errors: FieldErrors): string {
  const name = (given ?? '')
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (name === '') errors.name = [given === undefined ? REQUIRED : BLANK];
  return name;
}

/** A name or an address, without brackets and in lower case; never a path, which drivers take for a socket. */
function readHost(given: string | undefined, errors: FieldErrors): string {
  const text = (given ?? '').trim();
  if (text === '') {
    errors.host = [given === undefined ? REQUIRED : BLANK];
    return '';
  }
  const bare = text.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(bare) !== 0 && !bare.includes('%')) return bare;
  // Of "host/path" the parser of domains would leave the host.
  const ascii = /^[\p{L}\p{M}\p{N}._-]+$/u.test(bare) ? domainToASCII(bare) : '';
  if (!NAME.test(ascii)) errors.host = ['Enter the name or the address of a host, without port, path and user.'];
  return ascii;
}

/**
 * Why the host may plainly not be called; null where it may, or where its name is not known yet: what counts is the check
 * of each connection.
 */
async function refusalOf(host: string, port: number, guard: EgressGuard): Promise<string | null> {
  const late = new Promise<void>((done) => setTimeout(done, RESOLVE_MS).unref());
  try {
    await Promise.race([guard.resolve(host, port), late]);
    return null;
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return error.failure === 'blocked' ? error.message : null;
  }
}

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text) || !text.isWellFormed();
}
