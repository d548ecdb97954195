export { Continuation, continuationMessages, continueText } from './turns/continuation.js';
