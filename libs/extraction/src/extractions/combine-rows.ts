import type { ExtractedValue, ExtractedValues, RowMode, TableColumn } from '../kit.js';
import { agreeing, nothing, type JudgedCell } from '../model/judged-cell.js';
import { sameValue } from '../model/same-value.js';

/** Rules that score less are not sure of what they found. */
const SURE = 0.9;
/** Two ways of reading found different values, each with words of the document. */
const DISAGREEMENT = 0.6;

/**
 * Whether a rule's value stands by itself (docs/decisions/0055): words of the document at one place, for a column that is
 * described by its name alone. What an instruction asks for beyond a label, a rule cannot know.
 */
function isSure({ instruction }: TableColumn, cell: ExtractedValue | undefined): boolean {
  if (!cell || instruction.trim() !== '') return false;
  const { status, ambiguous, score } = cell.evidence;
  return status === 'anchored' && !ambiguous && score >= SURE;
}

/** Whether a model is to be asked beside the rules. */
export function needsModel(columns: readonly TableColumn[], rules: readonly ExtractedValues[]): boolean {
  return rules.length === 0 || rules.some((row) => columns.some((column) => !isSure(column, row[column.name])));
}

/**
 * What rules and a model found, as one. Of line items the model's rows count where it gave any: which lines belong
 * together, one of both has to say.
 * @param model null: none was asked
 */
export function combineRows(
  columns: readonly TableColumn[],
  rowMode: RowMode,
  rules: readonly ExtractedValues[],
  model: readonly ReadonlyMap<string, JudgedCell>[] | null,
): ExtractedValues[] {
  if (model === null) return rules.map((row) => toValues(columns, (column) => row[column.name]));
  if (rowMode === 'items')
    return model.length > 0
      ? model.map((row) => toValues(columns, ({ name }) => row.get(name)))
      : rules.map((row) => toValues(columns, (column) => row[column.name]));
  return [toValues(columns, (column) => combine(column, rules[0]?.[column.name], model[0]?.get(column.name)))];
}

/** What rules left to a model that could not go on is missing for that reason. @param code why it could not */
export function withoutModel(rules: readonly ExtractedValues[], code: string): ExtractedValues[] {
  return rules.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, { value, evidence }]) => {
        const reason = evidence.reason === 'model_not_configured' ? code : evidence.reason;
        return [name, { value, evidence: { ...evidence, reason } }];
      }),
    ),
  );
}

/** Both saw it: they agree, or whoever knows more of what is asked is believed, and somebody should look. */
function combine(
  column: TableColumn,
  rule: ExtractedValue | undefined,
  model: ExtractedValue | undefined,
): ExtractedValue | undefined {
  if (!rule || rule.evidence.status !== 'anchored') return model ?? rule;
  if (!model || model.evidence.status !== 'anchored') {
    if (isSure(column, rule)) return rule;
    // A doubtful rule is no proof against a model that says something else.
    return model && model.value !== null && !sameValue(model.value, rule.value) ? model : agreeing(rule, 0.8);
  }
  if (sameValue(rule.value, model.value)) return rule.evidence.score > model.evidence.score ? rule : model;
  return agreeing(isSure(column, rule) ? rule : model, DISAGREEMENT, 'methods_disagree');
}

function toValues(
  columns: readonly TableColumn[],
  cellOf: (column: TableColumn) => ExtractedValue | undefined,
): ExtractedValues {
  // Not by assignment: a name may mean something to JavaScript.
  return Object.fromEntries(
    columns.map((column) => {
      const { value, evidence } = cellOf(column) ?? nothing('not_in_document', null);
      return [column.name, { value, evidence }];
    }),
  );
}
