import { pipeline } from 'node:stream/promises';
import { CurrentUser, type Principal } from '@app/auth';
import { RunExports, WorkflowOutputs } from '@app/workflows';
import { Controller, Delete, Get, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { toPageRequest, toPageResponse } from '../../http/pagination.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { contentDisposition } from '../../media/content-disposition.js';
import { EXPORT_TYPES, exportFile } from './export-file.js';
import { ExportQuery, OutputPageResponse, OutputResponse, OutputsQuery, toOutputResponse } from './outputs.dto.js';

/** docs/contract/workflows.md#outputs. */
@ApiTags('Workflow outputs')
@PartOf('flowapps')
@Controller('microservices/workflow/:id')
export class OutputsController {
  constructor(
    private readonly outputs: WorkflowOutputs,
    private readonly exports: RunExports,
  ) {}

  @Get('outputs/')
  @Route({
    summary: 'List the kept results',
    description: 'Of nodes with `save_output`, newest first.',
    errors: 'fields',
    scope: 'workflows:read',
    response: OutputPageResponse,
  })
  async list(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() query: OutputsQuery,
    @Req() request: Request,
  ): Promise<OutputPageResponse> {
    const at = toPageRequest(query);
    const filter = { runVersion: query.run_version, nodeId: query.node_id, type: query.type };
    const { count, items } = await this.outputs.list(viewer.userId, id, filter, at);
    return toPageResponse({ count, items: items.map(toOutputResponse) }, at, request);
  }

  @Get('outputs/:outputId/')
  @Route({
    summary: 'Get a kept result',
    description: 'Of a node with `save_output`, in whole.',
    scope: 'workflows:read',
    response: OutputResponse,
  })
  async get(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @UuidParam('outputId') outputId: string,
  ): Promise<OutputResponse> {
    return toOutputResponse(await this.outputs.get(viewer.userId, id, outputId));
  }

  @Delete('outputs/:outputId/')
  @Route({
    summary: 'Delete a kept result',
    description: 'For good; the run that made it stays in the history.',
    scope: 'workflows:write',
    response: null,
  })
  async delete(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @UuidParam('outputId') outputId: string,
  ): Promise<void> {
    await this.outputs.delete(viewer.userId, id, outputId);
  }

  @Get('export/')
  @Route({
    summary: 'Download what a run made',
    description: 'The outputs of nodes with `export_output`, as a zip of files, one JSON document or a spreadsheet.',
    errors: 'fields',
    scope: 'workflows:read',
    response: { contentType: Object.values(EXPORT_TYPES), description: 'The file, of the kind that `format` names.' },
    answersHeaders: ['Content-Disposition'],
  })
  async export(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() { run_version: version, format }: ExportQuery,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.exports.get(viewer.userId, id, version ?? null);
    const { content, mimeType } = await exportFile(run, format);
    const name = [...run.workflowName.replaceAll(/[\p{Cc}\\/:*?"<>|]/gu, '_')].slice(0, 100).join('');
    const filename = `${name}-run-${run.version}.${format}`;
    response.setHeader('Content-Type', mimeType);
    response.setHeader('Content-Disposition', contentDisposition('attachment', filename));
    response.setHeader('Cache-Control', 'private, no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    await pipeline(content, response).catch((error: NodeJS.ErrnoException) => {
      // The client went away: nobody is left to tell.
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  }
}
