import { ToolCatalogue } from '@app/workflow-definition';
import { categories } from './categories.js';
import { codeTool } from './code/code.tool.js';
import { cryptoTool } from './data/crypto.tool.js';
import { dateTool } from './data/date.tool.js';
import { expressionTool } from './data/expression.tool.js';
import { markdownToHtmlTool } from './data/markdown-to-html.tool.js';
import { numberTool } from './data/number.tool.js';
import { parseCsvTool } from './data/parse-csv.tool.js';
import { parseHtmlTool } from './data/parse-html.tool.js';
import { parseJsonTool } from './data/parse-json.tool.js';
import { parseXmlTool } from './data/parse-xml.tool.js';
import { regexTool } from './data/regex.tool.js';
import { setTool } from './data/set.tool.js';
import { templateTool } from './data/template.tool.js';
import { textTool } from './data/text.tool.js';
import { writeCsvTool } from './data/write-csv.tool.js';
import { writeJsonTool } from './data/write-json.tool.js';
import { writeXmlTool } from './data/write-xml.tool.js';
import { fileWriterTool } from './files/file-writer.tool.js';
import { batchTool } from './flow/batch.tool.js';
import { loopTool } from './flow/loop.tool.js';
import { repeatTool } from './flow/repeat.tool.js';
import { subWorkflowTool } from './flow/sub-workflow.tool.js';
import { httpRequestTool } from './http/http-request.tool.js';
import { approvalTool } from './human/approval.tool.js';
import { askTool } from './human/ask.tool.js';
import { formTool } from './human/form.tool.js';
import { aggregateTool } from './lists/aggregate.tool.js';
import { compareListsTool } from './lists/compare-lists.tool.js';
import { deduplicateTool } from './lists/deduplicate.tool.js';
import { editFieldsTool } from './lists/edit-fields.tool.js';
import { filterTool } from './lists/filter.tool.js';
import { joinListsTool } from './lists/join-lists.tool.js';
import { limitTool } from './lists/limit.tool.js';
import { sortTool } from './lists/sort.tool.js';
import { splitTool } from './lists/split.tool.js';
import { summariseTool } from './lists/summarise.tool.js';
import { conditionTool } from './logic/condition.tool.js';
import { delayTool } from './logic/delay.tool.js';
import { mergeTool } from './logic/merge.tool.js';
import { noOpTool } from './logic/no-op.tool.js';
import { respondTool } from './logic/respond.tool.js';
import { stopWithErrorTool } from './logic/stop-with-error.tool.js';
import { switchTool } from './logic/switch.tool.js';
import { askDocumentsTool } from './platform/ask-documents.tool.js';
import { languageModelTool } from './platform/language-model.tool.js';
import { sendEmailTool } from './messages/send-email.tool.js';
import { webhookOutTool } from './messages/webhook-out.tool.js';
import { readFileTool } from './files/read-file.tool.js';
import { spreadsheetReadTool } from './files/spreadsheet-read.tool.js';
import { convertFileTool } from './files/convert-file.tool.js';
import { pdfTextTool } from './files/pdf-text.tool.js';
import { ocrTool } from './files/ocr.tool.js';
import { listDocumentsTool } from './files/list-documents.tool.js';
import { saveDocumentTool } from './files/save-document.tool.js';
import { classifyTool } from './platform/classify.tool.js';
import { summariseTextTool } from './platform/summarise-text.tool.js';
import { extractFieldsTool } from './platform/extract-fields.tool.js';
import { translateTool } from './platform/translate.tool.js';
import { databaseQueryTool } from './platform/database-query.tool.js';
import { askDatabaseTool } from './platform/ask-database.tool.js';
import { extractTableRowsTool } from './platform/extract-table-rows.tool.js';
import { agentTool } from './platform/agent.tool.js';
import { mcpToolTool } from './platform/mcp-tool.tool.js';
import { publishArtifactTool } from './platform/publish-artifact.tool.js';
import { dashboardTool } from './platform/dashboard.tool.js';
import { semanticSearchTool } from './platform/semantic-search.tool.js';
import { withReach } from './reach.js';
import { manualTriggerTool } from './triggers/manual-trigger.tool.js';
import { scheduleTriggerTool } from './triggers/schedule-trigger.tool.js';
import { webhookTriggerTool } from './triggers/webhook-trigger.tool.js';

export { mailApproval } from './messages/mail-approval.js';
export { pureKind } from './sandbox/pure-kinds.js';

/** Every node kind of the product. A new kind is one file and one line here. */
export const toolCatalogue = new ToolCatalogue(
  withReach([
    manualTriggerTool,
    webhookTriggerTool,
    scheduleTriggerTool,
    conditionTool,
    switchTool,
    mergeTool,
    batchTool,
    loopTool,
    repeatTool,
    subWorkflowTool,
    askTool,
    formTool,
    approvalTool,
    delayTool,
    respondTool,
    stopWithErrorTool,
    noOpTool,
    setTool,
    templateTool,
    expressionTool,
    dateTool,
    textTool,
    regexTool,
    numberTool,
    cryptoTool,
    parseJsonTool,
    writeJsonTool,
    parseCsvTool,
    writeCsvTool,
    parseXmlTool,
    writeXmlTool,
    parseHtmlTool,
    markdownToHtmlTool,
    filterTool,
    sortTool,
    deduplicateTool,
    limitTool,
    splitTool,
    editFieldsTool,
    aggregateTool,
    summariseTool,
    joinListsTool,
    compareListsTool,
    codeTool,
    semanticSearchTool,
    askDocumentsTool,
    languageModelTool,
    classifyTool,
    summariseTextTool,
    extractFieldsTool,
    translateTool,
    databaseQueryTool,
    askDatabaseTool,
    extractTableRowsTool,
    agentTool,
    mcpToolTool,
    publishArtifactTool,
    dashboardTool,
    httpRequestTool,
    sendEmailTool,
    webhookOutTool,
    readFileTool,
    spreadsheetReadTool,
    convertFileTool,
    pdfTextTool,
    ocrTool,
    listDocumentsTool,
    saveDocumentTool,
    fileWriterTool,
  ]),
  Object.values(categories),
);
