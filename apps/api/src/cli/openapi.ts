import { describeApi } from '../openapi/describe-api.js';

process.stdout.write(`${await describeApi()}\n`);
