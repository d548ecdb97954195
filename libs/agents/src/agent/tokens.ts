export { estimateMessageTokens, estimateTokens, estimateToolTokens } from '@app/models';
