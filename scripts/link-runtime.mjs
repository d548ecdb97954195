// Runs after an install by hand (`npm ci`, `npm install`).
import { linkRuntime } from './lib/node-runtime.mjs';

linkRuntime();
