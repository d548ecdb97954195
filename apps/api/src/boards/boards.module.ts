import { BoardCollaborators, BoardsModule } from '@app/artifacts';
import { Module } from '@nestjs/common';
import { ChartsController } from '../charts/charts.controller.js';
import { BoardCollaboratorsController } from './board-collaborators.controller.js';
import { BoardsController } from './boards.controller.js';
import { TilesController } from './tiles.controller.js';

/** Boards, and the charts that stand on them, over HTTP (docs/contract/boards.md). */
@Module({
  imports: [BoardsModule],
  controllers: [BoardsController, TilesController, BoardCollaboratorsController, ChartsController],
  providers: [BoardCollaborators],
})
export class BoardRoutesModule {}
