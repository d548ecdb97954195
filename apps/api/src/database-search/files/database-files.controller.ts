import { CurrentUser, type Principal } from '@app/auth';
import { normalizeFolder } from '@app/documents';
import { TABULAR_LIMITS, tabularFileNotFound, TabularFiles, TabularFolders } from '@app/tabular';
import { Body, Controller, Delete, Get, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import { sendJsonArray } from '../../http/json-array.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import {
  TabularFileResponse,
  TabularUploadResponse,
  toTabularFileResponse,
} from '../../tabular-files/tabular-file.dto.js';
import {
  DeletedFileResponse,
  refuseRename,
  RetryImportRequest,
  toTabularOptions,
  UpdateTabularFileRequest,
  TabularUploadFields,
} from '../../tabular-files/tabular-requests.dto.js';
import { TabularUploads, toUploadFields } from '../../tabular-files/tabular-uploads.js';
import type { ReceivedForm } from '../../uploads/upload-receiver.js';
import { Form, ReceivesFiles } from '../../uploads/upload.interceptor.js';

/** docs/contract/tables.md#files. */
@PartOf('core')
@Controller('database-search')
export class DatabaseFilesController {
  constructor(
    private readonly uploads: TabularUploads,
    private readonly files: TabularFiles,
    private readonly folders: TabularFolders,
  ) {}

  @Post('upload/')
  @Route({
    summary: 'Upload a table file',
    description:
      'Multipart fields: `path` (CSV, TSV, XLSX, XLS or ODS), `folder`, `header_row`, `delimiter`, `encoding`.',
    scope: 'documents:write',
    response: TabularUploadResponse,
    status: 201,
    startsSomething: true,
    readsOwnBody: true,
    consumes: 'multipart/form-data',
    form: TabularUploadFields,
  })
  @ReceivesFiles('path', 1, TABULAR_LIMITS.bytes)
  async upload(@CurrentUser() user: Principal, @Form() form: ReceivedForm): Promise<TabularUploadResponse> {
    const { file, queuePending } = await this.uploads.add(user.userId, 'database', form);
    return { ...toTabularFileResponse(file), ...toUploadFields(queuePending) };
  }

  @Get('documents/')
  @Route({
    summary: 'List table files, newest first',
    description:
      'The own table files, a page at a time, with how far each is. Questions to them go to `/database-search/chat/`.',
    scope: 'documents:read',
    response: [TabularFileResponse],
  })
  async list(@CurrentUser() user: Principal, @Res() response: Response): Promise<void> {
    await sendJsonArray(response, this.files.batches(user.userId, 'database'), toTabularFileResponse);
  }

  @Get('documents/:uid/')
  @Route({
    summary: 'Get one table file',
    description: 'Its state, tables and columns once it is read. 404 for files of others.',
    scope: 'documents:read',
    response: TabularFileResponse,
  })
  async get(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<TabularFileResponse> {
    return toTabularFileResponse(await this.files.get(user.userId, 'database', uid));
  }

  @Put(':uid/update/')
  @Route({
    summary: 'Move a table file to another folder',
    description: 'The file is not read again. A folder that does not exist is made.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: TabularFileResponse,
  })
  async update(
    @CurrentUser() user: Principal,
    @UuidParam('uid') uid: string,
    @Body() body: UpdateTabularFileRequest,
  ): Promise<TabularFileResponse> {
    refuseRename(body, await this.files.get(user.userId, 'database', uid));
    return toTabularFileResponse(await this.files.move(user.userId, 'database', uid, normalizeFolder(body.folder)));
  }

  @Delete(':uid/delete/')
  @Route({
    summary: 'Remove a table file for good',
    description: 'The file, its tables and its index; there is no trash for table files. 404 for files of others.',
    scope: 'documents:write',
    response: DeletedFileResponse,
  })
  async delete(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<DeletedFileResponse> {
    if (!(await this.folders.deleteFile(user.userId, 'database', uid))) throw tabularFileNotFound();
    return { status: 'deleted', uid };
  }

  @Post(':uid/retry/')
  @Route({
    bodyOptional: true,
    summary: 'Import a table file again',
    description: 'With other options where some are given. Until it is done the tables of the former import answer.',
    errors: 'fields',
    scope: 'documents:write',
    response: TabularUploadResponse,
    status: 202,
    startsSomething: true,
  })
  async retry(
    @CurrentUser() user: Principal,
    @UuidParam('uid') uid: string,
    @Body() body: RetryImportRequest,
  ): Promise<TabularUploadResponse> {
    const options = toTabularOptions(body);
    const { file, queuePending } = await this.files.retry(user.userId, 'database', uid, options);
    return { ...toTabularFileResponse(file), ...toUploadFields(queuePending) };
  }
}
