MODEL (kind EMBEDDED);

SELECT shop_id, shop_name FROM bakery.shops WHERE shop_name <> @VAR('closed', 'none')
