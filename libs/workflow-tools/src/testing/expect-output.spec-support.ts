import type { Tool, ToolResult } from '@app/workflow-definition';
import { Ajv2020 } from 'ajv/dist/2020.js';

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** @throws Error when a tool's output is not what its `output_schema` promises. */
export function expectPromisedOutput(tool: Tool, result: ToolResult): void {
  if (!('output' in result)) return;
  const output: unknown = JSON.parse(JSON.stringify(result.output ?? null));
  if (!ajv.validate(tool.toCatalogueEntry({}).output_schema, output)) {
    throw new Error(
      `${tool.kind} breaks its output_schema: ${ajv.errorsText()}: ${JSON.stringify(output).slice(0, 500)}`,
    );
  }
}
