import { CurrentUser, type Principal } from '@app/auth';
import { TabularFolders } from '@app/tabular';
import { Body, Controller, Delete, Post, Query } from '@nestjs/common';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import {
  chosenFolder,
  DeletedFolderResponse,
  FolderChoice,
  MovedFolderResponse,
  MoveTableFolderRequest,
  toFolderMove,
} from '../../tabular-files/tabular-requests.dto.js';

/** docs/contract/tables.md#files. */
@PartOf('core')
@Controller('database-search/folder')
export class DatabaseFoldersController {
  constructor(private readonly folders: TabularFolders) {}

  @Delete('delete/')
  @Route({
    summary: 'Remove the table files of a folder and those below it for good',
    description: 'There is no trash for table files. The answers that were given stay in their conversations.',
    errors: { 400: 'fields+error', 404: 'detail' },
    scope: 'documents:write',
    response: DeletedFolderResponse,
  })
  async delete(
    @CurrentUser() user: Principal,
    @Body() body: FolderChoice,
    @Query() query: FolderChoice,
  ): Promise<DeletedFolderResponse> {
    const count = await this.folders.deleteFolder(user.userId, 'database', chosenFolder(body, query));
    return { status: 'deleted', count };
  }

  @Post('move/')
  @Route({
    summary: 'Move or rename a folder of table files',
    description: 'Takes the folders below along. The files themselves are not read again.',
    errors: { 400: 'fields+error', 404: 'detail' },
    scope: 'documents:write',
    response: MovedFolderResponse,
  })
  async move(@CurrentUser() user: Principal, @Body() body: MoveTableFolderRequest): Promise<MovedFolderResponse> {
    const { from, to } = toFolderMove(body);
    return { status: 'moved', count: await this.folders.move(user.userId, 'database', from, to), from, to };
  }
}
