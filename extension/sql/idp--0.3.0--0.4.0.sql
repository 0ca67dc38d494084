-- idp 0.4.0: tables of persons hold against the attacks on 0.3.0.
\echo Use "ALTER EXTENSION idp UPDATE" to load this file. \quit

-- Operators and functions are those of the server. An exact match in the schema of the extension,
-- where others may create some, would be preferred. What lies in that schema is named with it.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Charges hold the total of whoever asked, so that limits of roles read no more than that.
ALTER TABLE idp.charge
  ADD COLUMN asker text[] COLLATE "C" GENERATED ALWAYS AS (ARRAY[role, outer_role, session_role]) STORED,
  ADD COLUMN asker_spent numeric;
UPDATE idp.charge c SET asker_spent = t.total
FROM (SELECT account, entry, sum(epsilon) OVER (PARTITION BY account, asker ORDER BY entry) AS total FROM idp.charge) t
WHERE t.account = c.account AND t.entry = c.entry;
CREATE INDEX charge_asker ON idp.charge (account, asker, entry);
COMMENT ON COLUMN idp.charge.asker IS 'the three roles together';
COMMENT ON COLUMN idp.charge.asker_spent IS
  'the total that was charged for the same three roles to the account after this charge; null for charges of earlier versions, restored from a dump';
