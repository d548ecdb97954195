export * from './engine/item-ledger.js';
export { heldBytes, type HeldInput, isHeld } from './engine/held-input.js';
export { AuthoredDraft, type AuthoredTask } from './authoring/authored-draft.js';
export type { Catalogued } from './authoring/catalogued.js';
export type { CheckedDraft, DraftProblem } from './authoring/checks/check-draft.js';
export { type KnownServer, type KnownTableFile, type KnownThings, NO_THINGS } from './authoring/checks/known-things.js';
export { kindMeant } from './authoring/reading/kind-names.js';
export { readNode } from './authoring/reading/read-node.js';
export { likelyKinds, triggerMeant } from './authoring/reading/request-words.js';
export { RunEngine, type NodeTask, type RunEngineOptions } from './engine/run-engine.js';
export { Acting, type NodeActor } from './actors/acting.js';
export { ActorRights } from './actors/actor-rights.js';
export * from './runs/run-store.js';
export { KnownSecretNames } from './secrets/known-secret-names.js';
export type { OpenedSecrets } from './secrets/opened-secrets.js';
export {
  MAX_ORGANIZATION_SECRETS,
  type OrganizationSecretRecord,
  OrganizationSecrets,
} from './secrets/organization-secrets.js';
export { MAX_SECRETS, type SecretRecord, WorkflowSecrets } from './secrets/workflow-secrets.js';
export { PostgresRunStore } from './runs/postgres-run-store.js';
export { type RunResult, RunResults } from './runs/run-results.js';
export { runResult } from './runs/run-result.js';
export { RunAnnouncer } from './runs/run-announcer.js';
export { RunNotifier } from './runs/run-notifier.js';
export { type BranchRequest, RunControl, type RunStart } from './runs/run-control.js';
export { RunSweeper } from './runs/run-sweeper.js';
export { AgentMessages, type AgentMessage } from './conversation/agent-messages.js';
export { type OpenQuestion, OpenQuestions } from './conversation/open-questions.js';
export { type QuestionData, questionIdOf, toQuestionData } from './progress/question-data.js';
export { everyNode, qualifiedNodeId, revisionAt } from './revisions/loop-bodies.js';
export { type NodeRow, NodeRows, type WorkflowProgress } from './progress/node-rows.js';
export { type Revision, RevisionCache, type RevisionNode, toRevision } from './revisions/revision-cache.js';
export { listWorkflowCosts, type WorkflowCost } from './costs/workflow-costs.js';
export { WorkflowAccess } from './access/workflow-access.js';
export { StaleRevisionError } from './store/stale-revision.error.js';
export { WorkflowEditor, type SaveInput, type WorkflowSettings } from './store/workflow-editor.js';
export {
  type Collaborator,
  type Sharee,
  type TrashedWorkflow,
  type WorkflowDetail,
  type WorkflowFilter,
  WorkflowReader,
} from './store/workflow-reader.js';
export type { Person, WorkflowRecord } from './store/workflow-record.js';
export { WorkflowSharingModule } from './sharing/sharing.module.js';
export { AppConsent } from './sharing/app-consent.js';
export type { AppOffer } from './access/shared-apps.js';
export { WorkflowAdoption } from './sharing/workflow-adoption.js';
export { shownToRunner } from './progress/shown-to-runner.js';
export {
  type AddedCollaborators,
  type CollaboratorRole,
  WorkflowCollaborators,
} from './sharing/workflow-collaborators.js';
export { type SharingOutcome, WorkflowSharing } from './sharing/workflow-sharing.js';
export { type WorkflowTransfer, WorkflowTransfers } from './sharing/workflow-transfers.js';
export { OwnedWorkflows } from './store/owned-workflows.js';
export { DeleteImpact, type ImpactReport } from './deletion/delete-impact.js';
export { WorkflowDestruction } from './deletion/workflow-destruction.js';
export { type DeletedPart, type DeletionImpact, type WorkflowPart } from './deletion/workflow-part.js';
export { deleteInBatches } from './deletion/delete-in-batches.js';
export { WorkflowParts } from './deletion/workflow-parts.js';
export { type Trashed, WorkflowTrash } from './store/workflow-trash.js';
export type { CallProof } from './webhooks/call-proof.js';
export { headersForWorkflow, queryForWorkflow } from './webhooks/call-headers.js';
export { answerGenuine, answerGet, answerUnproven, type ChallengeAnswer } from './webhooks/hooks/hook-challenge.js';
export type { HookCall, HookProof } from './webhooks/hooks/hook-proof.js';
export { type HookReceiver, HookReceivers } from './webhooks/hooks/hook-receivers.js';
export { HOOK_CHALLENGES, HOOK_SCHEMES, type HookWish } from './webhooks/hooks/hook-settings.js';
export { type HookRecord, HookUrls } from './webhooks/hooks/hook-urls.js';
export { type CallAnswer, RequestAnswers } from './webhooks/request-answers.js';
export { RequestFetches, type StoredFile as StoredRequestFile } from './webhooks/files/request-fetches.js';
export type { RequestFile } from './webhooks/files/request-file.js';
export { fetchWork, type ClaimedFetch } from './webhooks/files/fetch-work.js';
export { RequestEnds } from './webhooks/request-ends.js';
export type { RequestRecord, RequestStatus } from './webhooks/request-record.js';
export { type RequestResult, RequestResults } from './webhooks/request-results.js';
export { RequestRetention } from './webhooks/request-retention.js';
export { REQUEST_ACTIONS } from './webhooks/request-transitions.js';
export {
  type AuthenticatedCall,
  WebhookAuthenticator,
  type WebhookTarget,
  invalidCredential,
} from './webhooks/webhook-authenticator.js';
export { type IssuedCredential, WebhookCredentials } from './webhooks/webhook-credentials.js';
export { type IssuedSigningKey, type RotatedSecret, WebhookKeys } from './webhooks/webhook-keys.js';
export { type AcceptedCall, type WebhookCall, WebhookQueue } from './webhooks/webhook-queue.js';
export { type QueueListing, WebhookRequests } from './webhooks/webhook-requests.js';
export { type CredentialRecord, WebhookSettings, type WebhookSettingsRecord } from './webhooks/webhook-settings.js';
export { type TagOnWorkflow, type TagRecord, WorkflowTags } from './tags/workflow-tags.js';
export { RevisionRetention } from './versions/revision-retention.js';
export { type NewRevision, RevisionWriter, type WrittenRevision } from './store/revision-writer.js';
export { type VersionDetail, type VersionRecord, WorkflowVersions } from './versions/workflow-versions.js';
export { Schedules } from './schedules/schedules.js';
export type { ScheduleInput } from './schedules/schedule-input.js';
export { OVERLAP_POLICIES, type OverlapPolicy, type ScheduleRecord } from './schedules/schedule-record.js';
export { type BackfillPeriod, ScheduleRuns } from './schedules/schedule-runs.js';
export { CronExpression } from './schedules/cron-expression.js';
export { Scheduler } from './schedules/scheduler.js';
export { SlotFiring } from './schedules/slot-firing.js';
export { nextSlot, type Timing } from './schedules/timing.js';
export { WorkflowsModule } from './workflows.module.js';
export { type RunDetail, RunHistory } from './history/run-history.js';
export { RUN_TRIGGERS, type RunRecord, type RunTrigger } from './history/run-record.js';
export { RunRetention } from './history/run-retention.js';
export { type RetryRequest, RunRetry } from './history/run-retry.js';
export { OutputFiles } from './outputs/output-files.js';
export { type ExportedNode, type RunExport, RunExports } from './outputs/run-exports.js';
export { type OutputFilter, type OutputRecord, WorkflowOutputs } from './outputs/workflow-outputs.js';
export { type AskedQuestion, type RunChange, RunChanges } from './history/run-changes.js';
export { WAITING_RUNS } from './runs/waiting-work.js';
export { OwnedWrittenFiles } from './files/owned-written-files.js';
export {
  type AuthoringEvent,
  type AuthoringMode,
  type AuthoringQuestion,
  type AuthoringResult,
  type AuthoringRoute,
  type AuthoringStage,
  type EarlierTurn,
  failedResult,
} from './authoring/authoring.types.js';
export { AuthoringTurns } from './authoring/authoring-turns.js';
export { OwnedTransfers } from './sharing/owned-transfers.js';
export { OwnedAuthoring } from './authoring/owned-authoring.js';
export { WrittenFiles } from './files/written-files.js';
export { WorkflowMedia } from './files/workflow-media.js';
export { RUN_STATUSES, RunAdministration, type RunStatusName } from './administration/run-administration.js';
export { countRunSteps, findRunNamed, findRunVersion, type RunSteps } from './runs/run-facts.js';
export { type StoredContent, writeFileRow } from './files/written-file-rows.js';
export { findOwnWrittenFile, findSharedWrittenFile, findWrittenFileUnder } from './files/readable-written-file.js';
export { cameWithRun } from './files/files-of-run.js';
