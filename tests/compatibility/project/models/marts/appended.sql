MODEL (name bakery.appended, kind INCREMENTAL_UNMANAGED (insert_overwrite false, forward_only true));

SELECT ticket_id, @start_epoch::BIGINT AS seen_at, bread FROM bakery.tickets
