import { defineWorkJob } from '../work-job.js';

export const exportAccountJob = defineWorkJob('export-account', 'accounts');
export const eraseAccountJob = defineWorkJob('erase-account', 'accounts');
export const summariseDocumentJob = defineWorkJob('summarise-document', 'insights');
export const extractDocumentJob = defineWorkJob('extract-document', 'extractions');
export const syncSourceJob = defineWorkJob('sync-source', 'imports');
export const mirrorShareJob = defineWorkJob('mirror-share', 'shares');
export const drawThumbnailJob = defineWorkJob('draw-thumbnail', 'thumbnails');
export const importTableJob = defineWorkJob('import-table', 'tables', { tracksDelivery: true });
export const fetchRequestFilesJob = defineWorkJob('fetch-request-files', 'fetches');
export const refreshTileJob = defineWorkJob('refresh-tile', 'refreshes');
export const sendMessageJob = defineWorkJob('send-message', 'messages');
export const readPaymentObjectJob = defineWorkJob('read-payment-object', 'payments');
export const followAgentRunJob = defineWorkJob('follow-agent-run', 'follows');
