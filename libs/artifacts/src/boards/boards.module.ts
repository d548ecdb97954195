import { Module } from '@nestjs/common';
import { Charts } from '../charts/charts.js';
import { AskedCharts } from './asked-charts.js';
import { BoardLayout } from './board-layout.js';
import { BoardTiles } from './board-tiles.js';
import { Boards } from './boards.js';
import { ChartsOfNodes } from './charts-of-nodes.js';
import { ShownTiles } from './shown-tiles.js';
import { TileRefreshes } from './tile-refreshes.js';

const providers = [AskedCharts, BoardLayout, BoardTiles, Boards, Charts, ChartsOfNodes, ShownTiles, TileRefreshes];

/** Boards and charts. Stands on the app's WorkflowsModule and AuditModule. Whom boards are shared with, the api alone decides. */
@Module({ providers, exports: providers })
export class BoardsModule {}
