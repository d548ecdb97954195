import { CurrentUser, type Principal } from '@app/auth';
import { TABULAR_LIMITS, tabularFileNotFound, TabularFiles, TabularFolders } from '@app/tabular';
import { Body, Controller, Delete, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { sendJsonArray } from '../../http/json-array.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import {
  SpreadsheetFileResponse,
  SpreadsheetUploadResponse,
  toSpreadsheetFileResponse,
} from '../../tabular-files/tabular-file.dto.js';
import {
  DeletedFileResponse,
  RetryImportRequest,
  TabularUploadFields,
  toTabularOptions,
} from '../../tabular-files/tabular-requests.dto.js';
import { TabularUploads, toUploadFields } from '../../tabular-files/tabular-uploads.js';
import type { ReceivedForm } from '../../uploads/upload-receiver.js';
import { Form, ReceivesFiles } from '../../uploads/upload.interceptor.js';

/** docs/contract/tables.md#files. */
@PartOf('core')
@Controller('spreadsheet-search')
export class SpreadsheetFilesController {
  constructor(
    private readonly uploads: TabularUploads,
    private readonly files: TabularFiles,
    private readonly folders: TabularFolders,
  ) {}

  @Post('upload/')
  @Route({
    summary: 'Upload a spreadsheet',
    description:
      'Multipart fields: `path` (XLSX, XLS, ODS, CSV or TSV), `folder`, `header_row`, `delimiter`, `encoding`.',
    scope: 'documents:write',
    response: SpreadsheetUploadResponse,
    status: 201,
    startsSomething: true,
    readsOwnBody: true,
    consumes: 'multipart/form-data',
    form: TabularUploadFields,
  })
  @ReceivesFiles('path', 1, TABULAR_LIMITS.bytes)
  async upload(@CurrentUser() user: Principal, @Form() form: ReceivedForm): Promise<SpreadsheetUploadResponse> {
    const { file, queuePending } = await this.uploads.add(user.userId, 'spreadsheet', form);
    return { ...toSpreadsheetFileResponse(file), ...toUploadFields(queuePending) };
  }

  @Get('documents/')
  @Route({
    summary: 'List spreadsheets, newest first',
    description: 'The own spreadsheets, with how far each is.',
    scope: 'documents:read',
    response: [SpreadsheetFileResponse],
  })
  async list(@CurrentUser() user: Principal, @Res() response: Response): Promise<void> {
    await sendJsonArray(response, this.files.batches(user.userId, 'spreadsheet'), toSpreadsheetFileResponse);
  }

  @Get('documents/:uid/')
  @Route({
    summary: 'Get one spreadsheet',
    description: 'Its state, sheets and columns once it is read. 404 for files of others.',
    scope: 'documents:read',
    response: SpreadsheetFileResponse,
  })
  async get(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<SpreadsheetFileResponse> {
    return toSpreadsheetFileResponse(await this.files.get(user.userId, 'spreadsheet', uid));
  }

  @Delete(':uid/delete/')
  @Route({
    summary: 'Remove a spreadsheet for good',
    description: 'The file and its tables; there is no trash for spreadsheets. 404 for files of others.',
    scope: 'documents:write',
    response: DeletedFileResponse,
  })
  async delete(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<DeletedFileResponse> {
    if (!(await this.folders.deleteFile(user.userId, 'spreadsheet', uid))) throw tabularFileNotFound();
    return { status: 'deleted', uid };
  }

  @Post(':uid/retry/')
  @Route({
    bodyOptional: true,
    summary: 'Import a spreadsheet again',
    description: 'With other options where some are given. Until it is done the tables of the former import answer.',
    errors: 'fields',
    scope: 'documents:write',
    response: SpreadsheetUploadResponse,
    status: 202,
    startsSomething: true,
  })
  async retry(
    @CurrentUser() user: Principal,
    @UuidParam('uid') uid: string,
    @Body() body: RetryImportRequest,
  ): Promise<SpreadsheetUploadResponse> {
    const options = toTabularOptions(body);
    const { file, queuePending } = await this.files.retry(user.userId, 'spreadsheet', uid, options);
    return { ...toSpreadsheetFileResponse(file), ...toUploadFields(queuePending) };
  }
}
