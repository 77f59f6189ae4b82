/** What notifications need: one migration. */
export const notificationTables = ({
  text,
  integer,
  byKey,
}: {
  readonly text: string;
  readonly integer: string;
  readonly byKey: string;
}): string => `
  -- Channels, rules, followers and preferences; \`target\` and \`party\` are those of a follower, \`since\` the last event before it.
  CREATE TABLE notification_settings (
    kind ${text} NOT NULL, id ${text} NOT NULL, owner_id ${text} NOT NULL, target ${text}, party ${text}, since ${integer}, body ${text} NOT NULL,
    PRIMARY KEY (kind, id))${byKey};
  CREATE INDEX notification_settings_by_owner ON notification_settings (kind, owner_id, id);
  CREATE INDEX notification_settings_by_target ON notification_settings (target, id) WHERE target IS NOT NULL;
  CREATE INDEX notification_settings_by_party ON notification_settings (party, id) WHERE party IS NOT NULL;
  -- How far the log was dealt out, and by the principals of which home; one row, from the first time on.
  CREATE TABLE notification_cursor (name ${text} PRIMARY KEY, sequence ${integer} NOT NULL, home ${text} NOT NULL)${byKey};
  -- Targets of config.yaml, and the last event before they were first seen.
  CREATE TABLE notification_targets (name ${text} PRIMARY KEY, since ${integer} NOT NULL)${byKey};
  -- \`due_at\`: waits until then; NULL: goes in its turn, by sequence. \`body\` has the attempts.
  CREATE TABLE deliveries (
    id ${text} PRIMARY KEY, sequence ${integer} NOT NULL, event ${text} NOT NULL, severity ${text} NOT NULL, subscriber ${text} NOT NULL,
    owner_id ${text} NOT NULL, status ${text} NOT NULL, due_at ${integer}, batch ${integer}, created_at ${integer} NOT NULL, finished_at ${integer},
    attempted ${integer} NOT NULL DEFAULT 0, attempts ${text} NOT NULL DEFAULT '[]');
  CREATE INDEX deliveries_in_turn ON deliveries (subscriber, sequence) WHERE finished_at IS NULL AND due_at IS NULL;
  CREATE INDEX deliveries_waiting ON deliveries (subscriber, due_at, sequence) WHERE finished_at IS NULL AND due_at IS NOT NULL;
  CREATE INDEX deliveries_open ON deliveries (sequence) WHERE finished_at IS NULL;
  CREATE INDEX deliveries_by_owner ON deliveries (owner_id, id, status);
  CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;
  -- Subscribers with open deliveries; \`token\` is that of the lease of who sends them now.
  CREATE TABLE delivery_queues (subscriber ${text} PRIMARY KEY, due_at ${integer} NOT NULL, token ${integer})${byKey};
  CREATE INDEX delivery_queues_due ON delivery_queues (due_at);
  CREATE TABLE inbox_items (
    id ${text} PRIMARY KEY, principal_id ${text} NOT NULL, sequence ${integer} NOT NULL, at ${integer} NOT NULL, severity ${text} NOT NULL,
    because ${text} NOT NULL, read_at ${integer})${byKey};
  CREATE INDEX inbox_by_principal ON inbox_items (principal_id, id);
  CREATE INDEX inbox_unread ON inbox_items (principal_id, id) WHERE read_at IS NULL;
  CREATE INDEX inbox_by_time ON inbox_items (at);
  `;
