import { CurrentUser, type ExportRow, Exports, type Principal } from '@app/auth';
import { Controller, Get, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ChoiceField, DateTimeField, IntegerField, StringField, UuidField } from '../http/fields.js';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { type SlowLimit, SlowLimiter } from '../http/slow-limiter.js';
import { EXPORTED } from '../media/media-files.js';
import { MediaLinks } from '../media/media-links.js';

const PER_DAY: SlowLimit = { bucket: 'export', limit: 5, seconds: 86_400 };
const LINK_SECONDS = 900;

export class ExportResponse {
  @UuidField()
  id: string;

  @ChoiceField(['running', 'ready', 'failed'])
  status: string;

  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  size_bytes: number | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ nullable: true })
  finished_at: Date | null;

  @DateTimeField({ nullable: true, description: 'Then the copy is removed.' })
  expires_at: Date | null;

  @StringField({ nullable: true, description: 'Works for 15 minutes; ask again for another one.' })
  download_url: string | null;
}

/** A copy of all that one owns, as a zip. */
@ApiTags('Profile')
@PartOf('core')
@Controller('users/export')
export class ExportsController {
  constructor(
    private readonly exports: Exports,
    private readonly links: MediaLinks,
    private readonly limiter: SlowLimiter,
  ) {}

  @Post()
  @Route({
    summary: 'Start a copy of my data',
    description:
      'A mail says when it is ready. While one is under way, or was ready within the last minute, that one is answered. Five a day.',
    response: ExportResponse,
    status: 202,
    startsSomething: true,
    open: true,
  })
  async start(@CurrentUser() viewer: Principal, @Req() request: Request): Promise<ExportResponse> {
    await this.limiter.hit(PER_DAY, String(viewer.userId));
    const { row, isNew } = await this.exports.start(viewer);
    if (!isNew) await this.limiter.forgive(PER_DAY, String(viewer.userId));
    return this.toResponse(row, viewer, request);
  }

  @Get()
  @Route({
    summary: 'List the copies of my data',
    description: 'Those that were asked for, with how far each is and until when it can be downloaded.',
    response: [ExportResponse],
  })
  async list(@CurrentUser() viewer: Principal, @Req() request: Request): Promise<ExportResponse[]> {
    return (await this.exports.list(viewer)).map((row) => this.toResponse(row, viewer, request));
  }

  @Get(':id/')
  @Route({
    summary: 'Ask how far a copy is',
    description: 'With a signed address once it is complete. 404 for copies of others.',
    response: ExportResponse,
  })
  async get(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Req() request: Request,
  ): Promise<ExportResponse> {
    return this.toResponse(await this.exports.get(viewer, id), viewer, request);
  }

  private toResponse(
    { state, size_bytes, ...row }: ExportRow,
    { userId }: Principal,
    request: Request,
  ): ExportResponse {
    const path = `${EXPORTED}${row.id}/atrium-export.zip`;
    // With who may have it: the address of everything that somebody owns ends with a closed account.
    const url = state === 'ready' ? this.links.sign(request, path, LINK_SECONDS, 'attachment', userId).url : null;
    return { ...row, status: state, size_bytes: size_bytes === null ? null : Number(size_bytes), download_url: url };
  }
}
