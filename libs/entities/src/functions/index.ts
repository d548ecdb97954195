import { auditEventsAreFinal } from './audit-events-are-final.js';
import { chartsRemoveLoose } from './charts-remove-loose.js';
import { chatAppendEvents } from './chat-append-events.js';
import { chatTurnEventsFollow } from './chat-turn-events-follow.js';
import { chunkSignBitsFindOwner } from './chunk-sign-bits-find-owner.js';
import { countEndedRequests } from './count-ended-requests.js';
import { countModelTokens } from './count-model-tokens.js';
import { countReadable, countReadableDocument, countReadableIndex } from './count-readable.js';
import { countStorage } from './count-storage.js';
import { countWorkflowRuns } from './count-workflow-runs.js';
import { documentSharesFindOwner } from './document-shares-find-owner.js';
import { mirrorDocumentShare } from './mirror-document-share.js';
import { namesByIndex } from './names-by-index.js';
import { usersAreModified } from './users-are-modified.js';
import { usersForgetUsage } from './users-forget-usage.js';
import { usersSuspendWork } from './users-suspend-work.js';
import { workflowAdoptOutput } from './workflow-adopt-output.js';
import { workflowBeginRuns } from './workflow-begin-runs.js';
import { workflowCreateRun } from './workflow-create-run.js';
import { workflowEnqueue } from './workflow-enqueue.js';
import { workflowEnqueuePlain } from './workflow-enqueue-plain.js';
import { workflowFinishRun } from './workflow-finish-run.js';
import { workflowFinishRuns } from './workflow-finish-runs.js';
import { workflowFireSlots } from './workflow-fire-slots.js';
import { workflowReleaseOutput } from './workflow-release-output.js';
import { workflowRequestPayload } from './workflow-request-payload.js';
import { workflowRing } from './workflow-ring.js';
import { workflowRingNext } from './workflow-ring-next.js';
import { workflowScheduleRunEnded } from './workflow-schedule-run-ended.js';
import { workflowScheduleRunStarted } from './workflow-schedule-run-started.js';
import { workflowStartNext } from './workflow-start-next.js';
import { workflowStartRun } from './workflow-start-run.js';
import { workflowStop } from './workflow-stop.js';
import { workflowStopActive } from './workflow-stop-active.js';
import { workflowStopRun } from './workflow-stop-run.js';
import { workflowWriteNodes } from './workflow-write-nodes.js';
import { workflowWriteOutputs } from './workflow-write-outputs.js';

/** Raised whenever one of them changes: a release puts its own in place of older ones, never of newer ones. */
export const FUNCTIONS_VERSION = 12;

/** Every function of the database, each in a file of its own. Who changes arguments or the type of the answer drops it in a migration first. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  audit_events_are_final: auditEventsAreFinal,
  charts_remove_loose: chartsRemoveLoose,
  chat_append_events: chatAppendEvents,
  chat_turn_events_follow: chatTurnEventsFollow,
  chunk_sign_bits_find_owner: chunkSignBitsFindOwner,
  count_ended_requests: countEndedRequests,
  count_model_tokens: countModelTokens,
  count_readable: countReadable,
  count_readable_document: countReadableDocument,
  count_readable_index: countReadableIndex,
  count_storage: countStorage,
  count_workflow_runs: countWorkflowRuns,
  document_shares_find_owner: documentSharesFindOwner,
  mirror_document_share: mirrorDocumentShare,
  names_by_index: namesByIndex,
  users_are_modified: usersAreModified,
  users_forget_usage: usersForgetUsage,
  users_suspend_work: usersSuspendWork,
  workflow_adopt_output: workflowAdoptOutput,
  workflow_begin_runs: workflowBeginRuns,
  workflow_create_run: workflowCreateRun,
  workflow_enqueue: workflowEnqueue,
  workflow_enqueue_plain: workflowEnqueuePlain,
  workflow_finish_run: workflowFinishRun,
  workflow_finish_runs: workflowFinishRuns,
  workflow_fire_slots: workflowFireSlots,
  workflow_release_output: workflowReleaseOutput,
  workflow_request_payload: workflowRequestPayload,
  workflow_ring: workflowRing,
  workflow_ring_next: workflowRingNext,
  workflow_schedule_run_ended: workflowScheduleRunEnded,
  workflow_schedule_run_started: workflowScheduleRunStarted,
  workflow_start_next: workflowStartNext,
  workflow_start_run: workflowStartRun,
  workflow_stop: workflowStop,
  workflow_stop_active: workflowStopActive,
  workflow_stop_run: workflowStopRun,
  workflow_write_nodes: workflowWriteNodes,
  workflow_write_outputs: workflowWriteOutputs,
};
