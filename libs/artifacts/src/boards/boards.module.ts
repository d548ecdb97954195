import { Module } from '@nestjs/common';
import { Charts } from '../charts/charts.js';
import { BoardLayout } from './board-layout.js';
import { BoardTiles } from './board-tiles.js';
import { Boards } from './boards.js';
import { ChartsOfNodes } from './charts-of-nodes.js';
import { ShownTiles } from './shown-tiles.js';
import { TileRefreshes } from './tile-refreshes.js';

const providers = [BoardLayout, BoardTiles, Boards, Charts, ChartsOfNodes, ShownTiles, TileRefreshes];

/** Boards and charts, for every app. Stands on the app's WorkflowsModule and AuditModule. Who shares boards provides `BoardCollaborators`, too. */
@Module({ providers, exports: providers })
export class BoardsModule {}
