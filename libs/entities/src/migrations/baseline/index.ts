import { access } from './access.js';
import { accounts } from './accounts.js';
import { agents } from './agents.js';
import { documents } from './documents.js';
import { mcp } from './mcp.js';
import { platform } from './platform.js';
import { retrieval } from './retrieval.js';
import { runs } from './runs.js';
import { sessions } from './sessions.js';
import { signIn } from './sign-in.js';
import { tabular } from './tabular.js';
import { webhooks } from './webhooks.js';
import { workflows } from './workflows.js';

export { FORMER_MIGRATIONS } from './former-migrations.js';

/** Statements by domain; what a foreign key points to comes first. They are history: what changes is a new migration. */
export const BASELINE: readonly string[] = [
  accounts,
  sessions,
  signIn,
  platform,
  documents,
  retrieval,
  tabular,
  workflows,
  runs,
  webhooks,
  access,
  agents,
  mcp,
].flat();
