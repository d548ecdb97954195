import { describeApi } from './describe-api.js';

process.stdout.write(`${await describeApi()}\n`);
