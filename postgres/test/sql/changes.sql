-- Refresh by change writes the rows of changed groups, and the release is the same as if all of it were written anew.
\set SHOW_CONTEXT never
CREATE SCHEMA changes;
SET search_path = changes;
CREATE TABLE stays (id integer PRIMARY KEY, age integer, born date, zip text, weight numeric, ward text, disease text, note text);
CREATE FUNCTION some_stays(first integer, last integer, turn integer) RETURNS SETOF stays LANGUAGE sql AS $$
    SELECT i, CASE WHEN (i * 31 + turn) % 23 = 0 THEN NULL ELSE 20 + (i * 7 + turn * 11) % 60 END, date '1950-01-01' + (i * 31 + turn * 17) % 9999,
           CASE WHEN (i + turn) % 5 = 0 THEN NULL ELSE to_char(10000 + (i * 37 + turn) % 500, 'FM00000') END, ((i + turn) % 100) / 8.0,
           'w' || (i + turn) % (3 + turn % 4), 'd' || i % 7, CASE WHEN i % 4 = 0 THEN NULL ELSE 'n' || i % 3 END FROM generate_series(first, last) i
$$;
INSERT INTO stays SELECT * FROM some_stays(1, 600, 0);
SELECT kanon.define('stays_k', 'stays', k => 4, quasi => '{age,born,zip,weight,ward}', sensitive => '{disease}', insensitive => '{note}',
                    columns => '{"zip": {"mask": "right"}}', incremental => true);
SELECT kind, records FROM kanon.refresh('stays_k', 'incremental');
SELECT rows, (SELECT count(*) > 0 FROM kanon.release_places) AS places FROM kanon.release_seals s JOIN kanon.definitions d ON d.id = s.definition WHERE d.release = 'stays_k'::regclass;
-- Ten turns of inserts, updates and deletes. After each, the places of the rows are forgotten, so that the next refresh makes
-- the whole release anew. It must have nothing to change.
CREATE TABLE found (turn integer, kind text, written bigint, differences bigint);
CREATE PROCEDURE turn(turn integer) LANGUAGE plpgsql AS $$
DECLARE
    how record;
BEGIN
    DROP TABLE IF EXISTS old;
    CREATE TABLE old AS SELECT ctid AS place, r::text AS row FROM stays_k r;
    INSERT INTO stays SELECT * FROM some_stays(1000 * turn, 1000 * turn + 4, turn);
    UPDATE stays s SET age = n.age, zip = n.zip, ward = n.ward, note = n.note FROM some_stays(1, 600, turn) n WHERE n.id = s.id AND s.id % 50 = turn;
    DELETE FROM stays WHERE id % 61 = turn + 20;
    SELECT * INTO how FROM kanon.refresh('stays_k', 'incremental');
    INSERT INTO found SELECT turn, how.kind, count(*) FROM stays_k r WHERE NOT EXISTS (SELECT FROM old o WHERE o.place = r.ctid AND o.row = r::text);
    DROP TABLE old;
    CREATE TABLE old AS SELECT ctid AS place, r::text AS row FROM stays_k r;
    UPDATE kanon.release_seals s SET file = 0 FROM kanon.definitions d WHERE d.id = s.definition AND d.release = 'stays_k'::regclass;
    SELECT * INTO how FROM kanon.refresh('stays_k', 'incremental');
    UPDATE found f SET differences = (SELECT count(*) FROM stays_k r WHERE NOT EXISTS (SELECT FROM old o WHERE o.place = r.ctid AND o.row = r::text))
        + (SELECT count(*) FROM old) - (SELECT count(*) FROM stays_k) WHERE f.turn = turn.turn;
END
$$;
DO $$ BEGIN FOR i IN 1 .. 10 LOOP CALL turn(i); END LOOP; END $$;
SELECT count(*), bool_and(kind = 'incremental') AS incremental, bool_and(written BETWEEN 1 AND 450) AS some, sum(differences) AS differences FROM found;
SELECT records = (SELECT count(*) FROM stays) AS complete, k >= 4 AS k, holds FROM kanon.check('stays_k');
SELECT disease, note FROM stays_k EXCEPT ALL SELECT disease, note FROM stays;
-- A table that was rewritten.
VACUUM FULL stays_k;
UPDATE stays SET age = 33 WHERE id = 17;
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
SELECT holds FROM kanon.check('stays_k');
-- A release that somebody has changed is refused: a row of a group that changes, and one of a group that does not.
BEGIN;
DELETE FROM stays_k WHERE ctid IN (SELECT min(ctid) FROM stays_k);
UPDATE stays SET age = 34 WHERE id = 17;
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
ROLLBACK;
BEGIN;
UPDATE stays_k SET note = 'x' WHERE ctid IN (SELECT min(ctid) FROM stays_k);
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
ROLLBACK;
DELETE FROM stays_k WHERE ctid IN (SELECT min(ctid) FROM stays_k);
SELECT kind FROM kanon.refresh('stays_k');
UPDATE stays SET age = 35 WHERE id = 18;
SELECT kind, records = (SELECT count(*) FROM stays) AS complete FROM kanon.refresh('stays_k', 'incremental');
-- Two refreshes in one transaction.
BEGIN;
UPDATE stays SET age = 36 WHERE id = 18;
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
DELETE FROM stays WHERE id = 18;
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
COMMIT;
SELECT records = (SELECT count(*) FROM stays) AS complete, holds FROM kanon.check('stays_k');
-- A category without a value is NULL in every release, also where a record with a value joins; so is an enum.
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE wards (id integer PRIMARY KEY, age integer, ward text, mood mood);
INSERT INTO wards SELECT i, 30, NULL, NULL::mood FROM generate_series(1, 6) i UNION ALL SELECT i, 70, 'b', 'bad' FROM generate_series(11, 16) i;
SELECT kanon.define('wards_k', 'wards', k => 3, quasi => '{age,ward,mood}', incremental => true);
SELECT kind FROM kanon.refresh('wards_k', 'incremental');
INSERT INTO wards VALUES (7, 30, 'a', NULL), (8, 31, 'a', NULL);
SELECT kind, records FROM kanon.refresh('wards_k', 'incremental');
SELECT k >= 3 AS k, holds FROM kanon.check('wards_k');
SELECT count(*) FILTER (WHERE ward = '') AS empty, count(*) FILTER (WHERE mood IS NULL) AS null FROM wards_k;
-- Rows that are stored in parts have no places; all else is the same.
CREATE TABLE letters (id integer PRIMARY KEY, age integer, letter text);
INSERT INTO letters SELECT i, 20 + i % 30, string_agg(md5(i || '-' || j), '') FROM generate_series(1, 60) i, generate_series(1, 150) j GROUP BY i;
SELECT kanon.define('letters_k', 'letters', k => 3, quasi => '{age}', insensitive => '{letter}', incremental => true);
SELECT kind, records FROM kanon.refresh('letters_k', 'incremental');
UPDATE letters SET age = 60 WHERE id = 3;
SELECT kind, records FROM kanon.refresh('letters_k', 'incremental');
SELECT count(*) FROM kanon.release_seals s JOIN kanon.definitions d ON d.id = s.definition WHERE d.release = 'letters_k'::regclass;
SELECT count(*) FROM letters_k r JOIN letters l ON l.letter = r.letter AND r.age @> l.age;
-- Others do not see which rows are a group.
CREATE ROLE kanon_changes_reader;
GRANT USAGE ON SCHEMA changes TO kanon_changes_reader;
GRANT SELECT ON stays_k TO kanon_changes_reader;
SET ROLE kanon_changes_reader;
SELECT (SELECT count(*) > 0 FROM stays_k) AS release, (SELECT count(*) FROM kanon.release_places) AS places, (SELECT count(*) FROM kanon.release_seals) AS seals;
RESET ROLE;
SELECT kanon.drop('stays_k'), kanon.drop('wards_k'), kanon.drop('letters_k');
SELECT count(*) FROM kanon.release_places p WHERE NOT EXISTS (SELECT FROM kanon.definitions d WHERE d.id = p.definition);
DROP OWNED BY kanon_changes_reader;
DROP ROLE kanon_changes_reader;
