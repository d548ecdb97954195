import { CurrentUser, type Principal } from '@app/auth';
import { ValidationError } from '@app/common';
import { DocumentFolders, findableFolder, normalizeFolder } from '@app/documents';
import { Body, Controller, Delete, Get, Inject, Post, Query } from '@nestjs/common';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { SEMANTIC_SEARCH_SETTINGS, type SemanticSearchSettings } from '../semantic-search-settings.js';
import {
  DeleteFolderRequest,
  FolderMovedResponse,
  FolderResponse,
  FolderTrashedResponse,
  MoveFolderRequest,
} from './folders.dto.js';

/** One's own virtual folders. */
@PartOf('core')
@Controller('semantic-search')
export class FoldersController {
  constructor(
    @Inject(SEMANTIC_SEARCH_SETTINGS) private readonly settings: SemanticSearchSettings,
    private readonly folders: DocumentFolders,
  ) {}

  @Get('folders/')
  @Route({
    summary: 'List my folders',
    description: 'Every folder with documents of the caller, with how many.',
    scope: 'documents:read',
    response: [FolderResponse],
  })
  list(@CurrentUser() user: Principal): Promise<FolderResponse[]> {
    return this.folders.list(user.userId);
  }

  @Delete('folder/delete/')
  @Route({
    summary: 'Put a folder into the trash',
    description: '`folder`, in the body or in the query, with its sub-folders; empty for the files of the root alone.',
    errors: { 400: 'fields', 404: 'detail' },
    scope: 'documents:write',
    response: FolderTrashedResponse,
  })
  async trash(
    @CurrentUser() user: Principal,
    @Body() body: DeleteFolderRequest,
    @Query() query: DeleteFolderRequest,
  ): Promise<FolderTrashedResponse> {
    const folder = body.folder ?? query.folder;
    if (folder === undefined) throw new ValidationError({ folder: ['This field is required.'] });
    const { trashRetentionDays } = this.settings;
    const count = await this.folders.trash(user.userId, findableFolder(folder), trashRetentionDays);
    return { status: 'trashed', count };
  }

  @Post('folder/move/')
  @Route({
    summary: 'Move or rename a folder',
    description: 'Takes the folders below along. Documents are not indexed again.',
    errors: { 400: 'fields+error', 404: 'detail' },
    scope: 'documents:write',
    response: FolderMovedResponse,
  })
  async move(@CurrentUser() user: Principal, @Body() body: MoveFolderRequest): Promise<FolderMovedResponse> {
    const [from, to] = [findableFolder(body.from, 'from'), normalizeFolder(body.to, 'to')];
    if (from === '') throw new ValidationError({ from: ['This field may not be blank.'] });
    const count = await this.folders.move(user.userId, from, to);
    return { status: 'moved', count, from, to };
  }
}
