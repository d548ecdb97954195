/** `A` for 0, `Z` for 25, `AA` for 26. */
export function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}

/** A cell as spreadsheets name it. @param column from 0 @param row from 1 */
export const cellName = (column: number, row: number): string => `${columnLetters(column)}${row}`;
