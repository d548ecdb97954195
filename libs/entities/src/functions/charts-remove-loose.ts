/**
 * Removes a chart that has lost its conversation or its workflow, or its last tile, and then belongs to nothing. The lock
 * comes first, and what stands on boards is asked in a statement of its own: whoever puts the chart on a board meanwhile
 * holds it, and is seen after that.
 */
export const chartsRemoveLoose = `
CREATE OR REPLACE FUNCTION charts_remove_loose()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM charts WHERE mgid = OLD.mgid AND turn_id IS NULL AND workflow_id IS NULL FOR UPDATE;
  IF FOUND THEN
    DELETE FROM charts c WHERE c.mgid = OLD.mgid AND c.turn_id IS NULL AND c.workflow_id IS NULL
      AND NOT EXISTS (SELECT FROM board_tiles t WHERE t.mgid = c.mgid);
  END IF;
  RETURN NULL;
END $$`;
