/** The migration that brings results of checks, incidents and profiles. */
export const qualityTables = ({
  text,
  integer,
  real,
  bytes,
  byKey,
}: Readonly<Record<'text' | 'integer' | 'real' | 'bytes' | 'byKey', string>>): string => `
  -- Ids sort by time. \`value\` is that of the body, for rules that learn from the values before.
  CREATE TABLE check_results (
    id ${text} PRIMARY KEY, environment ${text} NOT NULL, check_name ${text} NOT NULL, model ${text} NOT NULL, run_id ${text} NOT NULL,
    at ${integer} NOT NULL, outcome ${text} NOT NULL, value ${real}, data_version ${text} NOT NULL, body ${bytes} NOT NULL);
  CREATE INDEX check_results_by_check ON check_results (environment, check_name, id, outcome);
  CREATE INDEX check_results_by_model ON check_results (environment, model, id);
  CREATE INDEX check_results_by_run ON check_results (run_id);
  CREATE INDEX check_results_by_time ON check_results (at);
  -- The newest result of each check, and the newest that was evaluated.
  CREATE TABLE check_statuses (
    environment ${text} NOT NULL, check_name ${text} NOT NULL, model ${text} NOT NULL, latest_id ${text} NOT NULL,
    evaluated_id ${text}, outcome ${text}, PRIMARY KEY (environment, check_name))${byKey};
  CREATE TABLE incidents (
    id ${text} PRIMARY KEY, environment ${text} NOT NULL, check_name ${text} NOT NULL, model ${text} NOT NULL, opened_at ${integer} NOT NULL,
    closed_at ${integer}, body ${text} NOT NULL);
  CREATE UNIQUE INDEX incidents_open ON incidents (environment, check_name) WHERE closed_at IS NULL;
  CREATE INDEX incidents_by_environment ON incidents (environment, id);
  CREATE TABLE profiles (
    id ${text} PRIMARY KEY, environment ${text} NOT NULL, model ${text} NOT NULL, run_id ${text} NOT NULL, at ${integer} NOT NULL,
    body ${bytes} NOT NULL);
  CREATE INDEX profiles_by_model ON profiles (environment, model, id);
  `;
