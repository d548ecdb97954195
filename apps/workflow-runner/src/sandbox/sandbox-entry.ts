import { fileURLToPath } from 'node:url';

/** What a process of the sandbox runs. It lies beside the kinds that need it, and loads nothing else of the platform. */
export const SANDBOX_ENTRY = fileURLToPath(import.meta.resolve('@app/workflow-tools/sandbox-worker'));
