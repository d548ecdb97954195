import { holdsSecret, MemoryEdits, memoryKey, MemoryRows } from '@app/agents';
import { CurrentUser, type Principal } from '@app/auth';
import { ValidationError } from '@app/common';
import { Body, Controller, Delete, Get, Patch, Post, Put, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  CreateMemoryRequest,
  DeletedMemoriesResponse,
  MemoriesQuery,
  MemoryPage,
  MemoryResponse,
  MemorySettings,
  toMemoryResponse,
  UpdateMemoryRequest,
} from './memories.dto.js';

/** What agents keep of the caller over conversations, to be seen, mended and deleted. */
@ApiTags('Memories')
@PartOf('chat_ai')
@Controller('microservices/agent/memories')
export class MemoriesController {
  constructor(
    private readonly memories: MemoryRows,
    private readonly edits: MemoryEdits,
  ) {}

  @Get()
  @Route({
    summary: 'List what is remembered of you',
    description: 'Facts that agents and chats read before they answer, newest first.',
    errors: 'fields',
    response: MemoryPage,
  })
  async list(
    @CurrentUser() user: Principal,
    @Query() query: MemoriesQuery,
    @Req() request: Request,
  ): Promise<MemoryPage> {
    const at = toPageRequest(query);
    const { count, items } = await this.memories.list(user.userId, query, at);
    return toPageResponse({ count, items: items.map(toMemoryResponse) }, at, request);
  }

  @Post()
  @Route({
    summary: 'Have something remembered',
    description: 'A fact in your own words, which later conversations take into account.',
    errors: 'fields',
    response: MemoryResponse,
    status: 201,
    startsSomething: true,
  })
  async create(@CurrentUser() user: Principal, @Body() body: CreateMemoryRequest): Promise<MemoryResponse> {
    requireKeepable(body.text);
    return toMemoryResponse(await this.edits.create(user, body));
  }

  @Delete()
  @Route({
    summary: 'Forget everything',
    description: 'Every memory at once. Conversations keep what they said.',
    response: DeletedMemoriesResponse,
  })
  async deleteAll(@CurrentUser() user: Principal): Promise<DeletedMemoriesResponse> {
    return { deleted: await this.edits.deleteAll(user) };
  }

  @Get('settings/')
  @Route({
    summary: 'Whether you are remembered',
    description: 'Whether conversations read and write memories of you.',
    response: MemorySettings,
  })
  async settings(@CurrentUser() user: Principal): Promise<MemorySettings> {
    return { enabled: await this.memories.isEnabled(user.userId) };
  }

  @Put('settings/')
  @Route({
    summary: 'Switch memory on or off',
    description: 'Off, nothing is read or added; what is there stays until it is deleted.',
    errors: 'fields',
    response: MemorySettings,
  })
  async changeSettings(@CurrentUser() user: Principal, @Body() body: MemorySettings): Promise<MemorySettings> {
    await this.edits.switch(user, body.enabled);
    return { enabled: body.enabled };
  }

  @Patch(':id/')
  @Route({
    summary: 'Mend a memory',
    description: 'Replaces its text. 404 for memories of others.',
    errors: 'fields',
    response: MemoryResponse,
  })
  async update(
    @CurrentUser() user: Principal,
    @UuidParam('id') id: string,
    @Body() body: UpdateMemoryRequest,
  ): Promise<MemoryResponse> {
    if (body.text !== undefined) requireKeepable(body.text);
    return toMemoryResponse(await this.edits.change(user, id, { kind: body.kind, text: body.text }));
  }

  @Delete(':id/')
  @Route({
    summary: 'Forget something',
    description: 'Deletes one memory. 404 for memories of others.',
    response: null,
  })
  async delete(@CurrentUser() user: Principal, @UuidParam('id') id: string): Promise<void> {
    await this.edits.delete(user, id);
  }
}

function requireKeepable(text: string): void {
  if (memoryKey(text) === '') throw new ValidationError({ text: ['There is nothing in it to remember.'] });
  if (holdsSecret(text))
    throw new ValidationError({ text: ['This looks like a password, key or card number, which is not remembered.'] });
}
