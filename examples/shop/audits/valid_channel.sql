AUDIT (
  name valid_channel,
  on_failure quarantine
);

/* Other channels are errors of the source: such orders wait in quarantine until someone mends them, the rest is published. */
SELECT
  *
FROM @this_model
WHERE
  channel IS NULL
  OR NOT channel IN ('online', 'store', 'phone');
