import { CurrentUser, type MetadataObject, MetadataStore, type Principal } from '@app/auth';
import { InvalidRequestError, isDictionary, NotFoundError, parseAny, Refusal } from '@app/common';
import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { refuseLostNumbers } from '../http/lost-numbers.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { MetadataMessageResponse, MetadataQuery, MetadataRequest, MetadataResponse } from './metadata.dto.js';

/** @throws InvalidRequestError for anything but an object or the JSON text of one */
function toObject(data: unknown): MetadataObject {
  if (data === undefined || data === null || data === '')
    throw new InvalidRequestError('No data was given.', { code: 'data_missing' });
  const value = typeof data === 'string' ? parsed(data) : data;
  if (!isDictionary(value))
    throw new InvalidRequestError('The data must be an object.', { code: 'data_not_an_object' });
  return value;
}

function parsed(text: string): unknown {
  refuseLostNumbers(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidRequestError('The data is not valid JSON.', { code: 'invalid_json', cause });
  }
  // What an object may not hold, its text may not either.
  const read = parseAny(value);
  if (read instanceof Refusal) throw new InvalidRequestError(`data: ${read.message}`, { code: 'invalid' });
  return read;
}

/** Client state of the caller (docs/contract/accounts.md#metadata). */
@ApiTags('Profile')
@PartOf('core')
@Controller('users/metadata')
export class MetadataController {
  constructor(private readonly store: MetadataStore) {}

  @Get()
  @Route({
    summary: 'Read my metadata',
    description: 'What web apps stored for this account, by key.',
    response: MetadataResponse,
  })
  async list(@CurrentUser() viewer: Principal, @Query() { key }: MetadataQuery): Promise<MetadataResponse> {
    const objects = await this.store.list(viewer.userId, key || undefined);
    return { metadata: objects.map(({ data }) => data) };
  }

  @Post('push/')
  @Route({
    summary: 'Add an object to my metadata',
    description: 'At most 64 KiB each, 1,000 objects and 4 MiB in all.',
    errors: 'error',
    response: MetadataMessageResponse,
    startsSomething: true,
    open: true,
  })
  async push(@CurrentUser() viewer: Principal, @Body() { data }: MetadataRequest): Promise<MetadataMessageResponse> {
    await this.store.push(viewer.userId, toObject(data));
    return { message: 'The metadata was saved.' };
  }

  @Post('pop/')
  @Route({
    summary: 'Remove objects from my metadata',
    description: 'Every object whose values equal all given pairs.',
    errors: { 400: 'error', 404: 'message' },
    response: MetadataMessageResponse,
    open: true,
  })
  async pop(@CurrentUser() viewer: Principal, @Body() { data }: MetadataRequest): Promise<MetadataMessageResponse> {
    const criteria = toObject(data);
    if (Object.keys(criteria).length === 0)
      throw new InvalidRequestError('No criteria were given.', { code: 'criteria_missing' });
    const removed = await this.store.pop(viewer.userId, criteria);
    if (removed === null) throw new InvalidRequestError('There is no metadata.', { code: 'metadata_empty' });
    if (removed === 0) throw new NotFoundError('No metadata matches.', { code: 'metadata_not_found' });
    return { message: `${removed} ${removed === 1 ? 'object was' : 'objects were'} removed.` };
  }
}
