import { pipeline } from 'node:stream/promises';
import { AuditLog } from '@app/audit';
import { CurrentUser, type Principal } from '@app/auth';
import { ExtractedTables, TableRows } from '@app/extraction';
import { Controller, Get, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { contentDisposition } from '../../media/content-disposition.js';
import { ExtractorGuard } from '../extractor.guard.js';
import { sheetsOf } from './table-workbook.js';
import { writeWorkbook } from './xlsx-workbook.js';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** docs/contract/extracted-tables.md#export. */
@ApiTags('Extracted tables')
@PartOf('core')
@Controller('microservices/data-extractor/table/:tableId')
@UseGuards(ExtractorGuard)
export class TableExportController {
  constructor(
    private readonly tables: ExtractedTables,
    private readonly rows: TableRows,
    private readonly audit: AuditLog,
  ) {}

  @Get('export')
  @Route({
    summary: 'Download a table as a workbook',
    description:
      'XLSX: numbers, days and moments in their own types, no text that a program takes for a formula, and a sheet that says where each value comes from.',
    scope: 'documents:read',
    response: { contentType: XLSX, description: 'The workbook.' },
    answersHeaders: ['Content-Disposition'],
  })
  async export(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @Res() response: Response,
  ): Promise<void> {
    const table = await this.tables.get(user.userId, tableId);
    const sheets = await sheetsOf(user.userId, table, this.rows);
    const target = `extracted_table:${tableId}`;
    const details = { rows: table.rowsCount };
    await this.audit.record({ action: 'extracted_table.exported', actor: user, target, details });
    response.setHeader('Content-Type', XLSX);
    response.setHeader('Content-Disposition', contentDisposition('attachment', `${table.name}.xlsx`));
    await pipeline(writeWorkbook(sheets), response);
  }
}
