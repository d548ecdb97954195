// The api as `npm start` runs it, with its CPU time told to the parent.
import { createApp } from '../../../apps/api/dist/app.js';
import { loadConfig } from '@app/config';
import { AppLogger } from '@app/observability';
import { reportCpu } from './report-cpu.mjs';

const config = loadConfig();
const app = await createApp(config, new AppLogger('api', config.logging));
await app.listen(0, '127.0.0.1');
reportCpu(app.getHttpServer().address().port);
