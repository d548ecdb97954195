export { ArtifactAccess, artifactNotFound } from './artifacts/artifact-access.js';
export { ArtifactChanges } from './artifacts/artifact-changes.js';
export { ArtifactRemoval, type ImpactReport, type RemovedArtifact } from './artifacts/artifact-removal.js';
export { Artifacts } from './artifacts/artifacts.js';
export { ArtifactLinks } from './artifacts/artifact-links.js';
export { ArtifactRemovalModule, ArtifactsModule } from './artifacts/artifacts.module.js';
export { checkDraft } from './artifacts/check-draft.js';
export { OwnedArtifacts } from './artifacts/owned-artifacts.js';
export {
  ArtifactParts,
  type ArtifactDeletion,
  type ArtifactImpact,
  type ArtifactPart,
} from './artifacts/artifact-parts.js';
export {
  ARTIFACT_KINDS,
  ARTIFACT_LIMITS,
  type ArtifactDraft,
  type ArtifactKind,
  type ArtifactRecord,
  type ArtifactVersionRecord,
  type PublishedVersion,
  type PublishOptions,
  type VersionEntry,
} from './artifacts/artifact-shapes.js';
export { ArtifactQueriesModule } from './queries/artifact-queries.module.js';
export {
  PARAM_TYPES,
  type NamedQuery,
  type ParamType,
  type ParamValue,
  type QueryParam,
} from './queries/named-query.js';
export {
  SourceQueries,
  type ArtifactSource,
  type AskedQuery,
  type CheckedQuery,
  type QueryOutcome,
} from './queries/source-queries.js';
export { CHARTS_PATH, HOLDER_PATH, type PageAddresses, pageAddresses, renderPath } from './pages/page-addresses.js';
export { type OpenedPage, PAGE_POLICY, pageDocument } from './pages/page-document.js';
export { type AskedView, type OpenedView, PageViews, type ShownPage } from './pages/page-views.js';
export { PageAssets } from './pages/page-assets.js';
export { PagesModule } from './pages/pages.module.js';
export { chartsScript, type Embedders, holderDocument, noticeDocument, shellDocument } from './pages/shell-document.js';
export { type ServedDocument, versionOf } from './pages/served-document.js';
export { type View, type Viewer, ViewerTokens } from './pages/viewer-tokens.js';
export { ArtifactRefreshes } from './results/artifact-refreshes.js';
export { type AskedResult, type AskedVersion, PageResults, RESULT_LIMITS } from './results/page-results.js';
export { type KeptResult, type ResultError, ResultRows } from './results/result-rows.js';
export { ResultSweeps } from './results/result-sweeps.js';
export {
  type ChartFilter,
  filterRows,
  type FilteredRows,
  filterInWords,
  readFilters,
  requireColumns,
} from './charts/chart-filters.js';
export type {
  ChartContents,
  ChartHead,
  ChartOfWorkflow,
  ChartSource,
  DrawnChart,
  KeptChart,
} from './charts/chart-record.js';
export { chartOfTurn } from './charts/chart-of-turn.js';
export { chartNotFound, Charts } from './charts/charts.js';
export { chartsAmong } from './charts/charts-among.js';
export { chartsOfWorkflow } from './charts/charts-of-workflow.js';
export { OwnedCharts } from './charts/owned-charts.js';
export { AskedCharts, type ChartSubject, type SeenBoard, type SeenCharts } from './boards/asked-charts.js';
export { type BoardActor, boardNotFound } from './boards/board-access.js';
export {
  BOARD_LIMITS,
  type BoardRecord,
  COLLABORATOR_ROLES,
  type PlacedTile,
  TILE_KINDS,
  type TileKind,
  type TileRecord,
} from './boards/board-record.js';
export {
  type AddedBoardCollaborators,
  type BoardCollaborator,
  BoardCollaborators,
} from './boards/board-collaborators.js';
export { BoardLayout, StaleLayoutError } from './boards/board-layout.js';
export { BoardTiles, type NewTile, type TileChange, type WrittenTile } from './boards/board-tiles.js';
export { Boards, type BoardDetail } from './boards/boards.js';
export { BoardsModule } from './boards/boards.module.js';
export { type ChartForBoard, ChartsOfNodes } from './boards/charts-of-nodes.js';
export { type ClaimedTile, refreshWork } from './boards/refresh-work.js';
export { type RefreshedChart, TileRefreshes } from './boards/tile-refreshes.js';
export { OwnedBoards } from './boards/owned-boards.js';
export { ShownTiles } from './boards/shown-tiles.js';
