import { type NestedWork, type ToolContext, ToolError } from '@app/workflow-definition';

export function requireNested({ nested }: ToolContext): NestedWork {
  if (!nested) throw new ToolError('kind_not_nestable', 'This kind cannot be a part of another node.', false);
  return nested;
}
