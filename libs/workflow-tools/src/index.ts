import { ToolCatalogue } from '@app/workflows';
import { dateTool } from './data/date.tool.js';
import { expressionTool } from './data/expression.tool.js';
import { parseCsvTool } from './data/parse-csv.tool.js';
import { parseJsonTool } from './data/parse-json.tool.js';
import { setTool } from './data/set.tool.js';
import { templateTool } from './data/template.tool.js';
import { fileWriterTool } from './files/file-writer.tool.js';
import { httpRequestTool } from './http/http-request.tool.js';
import { aggregateTool } from './lists/aggregate.tool.js';
import { deduplicateTool } from './lists/deduplicate.tool.js';
import { filterTool } from './lists/filter.tool.js';
import { sortTool } from './lists/sort.tool.js';
import { conditionTool } from './logic/condition.tool.js';
import { delayTool } from './logic/delay.tool.js';
import { mergeTool } from './logic/merge.tool.js';
import { stopWithErrorTool } from './logic/stop-with-error.tool.js';
import { switchTool } from './logic/switch.tool.js';
import { askDocumentsTool } from './platform/ask-documents.tool.js';
import { languageModelTool } from './platform/language-model.tool.js';
import { semanticSearchTool } from './platform/semantic-search.tool.js';
import { manualTriggerTool } from './triggers/manual-trigger.tool.js';
import { webhookTriggerTool } from './triggers/webhook-trigger.tool.js';

/** Every node kind of the product. A new kind is one file and one line here. */
export const toolCatalogue = new ToolCatalogue([
  manualTriggerTool,
  webhookTriggerTool,
  conditionTool,
  switchTool,
  mergeTool,
  delayTool,
  stopWithErrorTool,
  setTool,
  templateTool,
  expressionTool,
  dateTool,
  parseJsonTool,
  parseCsvTool,
  filterTool,
  sortTool,
  deduplicateTool,
  aggregateTool,
  semanticSearchTool,
  askDocumentsTool,
  languageModelTool,
  httpRequestTool,
  fileWriterTool,
]);
