-- What happens to releases that are refreshed by change, to their sources, and to the tables themselves.
\set SHOW_CONTEXT never
CREATE SCHEMA changes;
SET search_path = changes;
CREATE ROLE kanon_changes_reader;
GRANT USAGE ON SCHEMA changes TO kanon_changes_reader;
CREATE TABLE stays (id integer PRIMARY KEY, age integer, zip text, disease text);
INSERT INTO stays SELECT i, i * 7919 % 97, 'z' || i % 3, 'd' || i % 5 FROM generate_series(1, 600) i;

-- Nobody who reads a release sees in it which rows are new. One person at a time comes or changes, with and without joint_k;
-- an analyst looks at every system column.
SET client_min_messages = warning;
SELECT kanon.define('stays_k', 'stays', k => 5, quasi => '{age,zip}', sensitive => '{disease}', algorithm => 'mondrian', incremental => true, joint_k => 0);
SELECT kanon.define('joint_stays_k', 'stays', k => 5, quasi => '{age,zip}', sensitive => '{disease}', algorithm => 'mondrian', incremental => true);
SET client_min_messages = error;
SELECT (kanon.refresh('stays_k', 'incremental')).kind, (kanon.refresh('joint_stays_k', 'incremental')).kind;
GRANT SELECT ON stays_k, joint_stays_k TO kanon_changes_reader;
CREATE TABLE seen (turn integer, release text, marks bigint, own_is_last boolean);
GRANT INSERT ON seen TO kanon_changes_reader;
CREATE PROCEDURE look(turn integer, release text) LANGUAGE plpgsql AS $$
DECLARE
    found bigint;
    is_last boolean;
BEGIN
    SET LOCAL ROLE kanon_changes_reader;
    EXECUTE format('SELECT count(DISTINCT (xmin::text, xmax::text, cmin::text, cmax::text, tableoid)) FROM %I', release) INTO found;
    EXECUTE format('SELECT disease = %L FROM %I ORDER BY ctid DESC LIMIT 1', 'new ' || turn, release) INTO is_last;
    INSERT INTO seen VALUES (turn, release, found, is_last);
    RESET ROLE;
END
$$;
DO $$
BEGIN
    FOR i IN 1 .. 4 LOOP
        IF i % 2 = 0 THEN
            UPDATE stays SET disease = 'new ' || i WHERE id = i * 100;
        ELSE
            INSERT INTO stays VALUES (5000 + i, 17, 'z1', 'new ' || i);
        END IF;
        PERFORM kanon.refresh('stays_k', 'incremental'), kanon.refresh('joint_stays_k', 'incremental');
        COMMIT;
        CALL look(i, 'stays_k');
        CALL look(i, 'joint_stays_k');
    END LOOP;
END
$$;
SELECT release, count(*) AS turns, max(marks) AS marks, count(*) FILTER (WHERE own_is_last) < 2 AS scattered FROM seen GROUP BY release ORDER BY 1;
-- The release without joint_k has all persons; from the other one the newcomers are withheld, and it says so.
SELECT (SELECT count(*) FROM stays_k), count(*) AS joint FROM joint_stays_k;
SELECT mode, records, withheld, loss > 0 AS loss, drift IS NOT NULL AS drift FROM kanon.refreshes r JOIN kanon.definitions d ON d.id = r.definition
 WHERE d.release = 'joint_stays_k'::regclass AND number IN (1, 5) ORDER BY number;
RESET client_min_messages;
SELECT kind, records, withheld FROM kanon.refresh('joint_stays_k', 'incremental');
SELECT releases, below FROM kanon.audit('joint_stays_k');
SELECT kanon.define('x_k', 'stays', k => 5, quasi => '{age}', algorithm => 'mondrian', incremental => true, shuffle => false);
SELECT kanon.define('x_k', 'stays', k => 5, quasi => '{age}', joint_k => 5);
SELECT kanon.define('x_k', 'stays', k => 5, quasi => '{age,zip}', insensitive => '{disease}', algorithm => 'mondrian', incremental => true, joint_k => 0);
SELECT kanon.drop('x_k');

-- Changes that no trigger noted are noticed: other numbers of rows, and other rows. Replicas fire the triggers.
SET session_replication_role = replica;
INSERT INTO stays VALUES (6000, 20, 'z0', 'd1');
RESET session_replication_role;
SELECT kind, records FROM kanon.refresh('stays_k', 'incremental');
ALTER TABLE stays DISABLE TRIGGER USER;
DELETE FROM stays WHERE id <= 3;
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
INSERT INTO stays VALUES (1, 1, 'z1', 'd1'), (2, 2, 'z2', 'd2'), (3, 4, 'z0', 'd3');
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
UPDATE stays SET age = 3 WHERE id = 3;
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
UPDATE stays SET age = 4 WHERE id = 3;
ALTER TABLE stays ENABLE TRIGGER USER;
SELECT kind FROM kanon.refresh('joint_stays_k', 'incremental');
SELECT kind FROM kanon.refresh('stays_k', 'full');
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
-- A state that is gone is not begun anew in silence.
BEGIN;
DELETE FROM kanon.state_pages;
SELECT kind FROM kanon.refresh('joint_stays_k');
ROLLBACK;
BEGIN;
DELETE FROM kanon.state_pages;
SELECT kind FROM kanon.refresh('stays_k', 'incremental');
ROLLBACK;

-- Groups that all have one diagnosis: every refresh says so.
CREATE TABLE pairs AS SELECT i AS id, (ARRAY[20, 21, 60, 61])[1 + i % 4] AS age, (ARRAY['hiv', 'hiv', 'flu', 'flu'])[1 + i % 4] AS diagnosis FROM generate_series(1, 80) i;
SELECT kanon.define('pairs_k', 'pairs', k => 10, quasi => '{age}', sensitive => '{diagnosis}', key => '{id}', algorithm => 'mondrian', incremental => true);
SELECT records FROM kanon.refresh('pairs_k');
SELECT records FROM kanon.refresh('pairs_k', 'incremental');

-- A column without a role may say whose row each is: the refresh says so, also where its name and the release''s are alike.
CREATE TABLE turns AS SELECT i AS id, i / 5 AS patient, 20 + i / 5 * 7 % 40 AS age, repeat('x', 100) || i / 5 AS long, 'd' || i % 2 AS disease
  FROM generate_series(5, 504) i;
SET client_min_messages = warning;
SELECT kanon.define('turns_k', 'turns', k => 5, quasi => '{age}', sensitive => '{disease}', algorithm => 'mondrian');
SELECT k FROM kanon.refresh('turns_k');
ALTER TABLE turns RENAME patient TO age_min;
SELECT kanon.alter('turns_k', numbers => 'columns');
SELECT k FROM kanon.refresh('turns_k');
ALTER TABLE turns RENAME age_min TO patient;
SELECT kanon.alter('turns_k', numbers => 'range', identifying => '{patient}');
SELECT k FROM kanon.refresh('turns_k');
RESET client_min_messages;

-- Partitions: rows are noted wherever they are, and what comes or goes with a partition is noticed.
CREATE TABLE parts (id integer, age integer, born date, mood text, PRIMARY KEY (id, age)) PARTITION BY RANGE (age);
CREATE TABLE young PARTITION OF parts FOR VALUES FROM (0) TO (40);
CREATE TABLE old PARTITION OF parts FOR VALUES FROM (40) TO (120);
INSERT INTO parts SELECT i, i % 80, date '2000-01-01' + i, 'm' || i % 3 FROM generate_series(1, 300) i;
SELECT kanon.define('parts_k', 'parts', k => 5, quasi => '{age,born}', sensitive => '{mood}', algorithm => 'mondrian', incremental => true, joint_k => 0);
SELECT kind, records FROM kanon.refresh('parts_k', 'incremental');
INSERT INTO parts VALUES (1000, 10, '2001-01-01', 'm1'), (1001, 50, '2001-01-01', 'm1');
UPDATE parts SET age = 70 WHERE id = 1000;
UPDATE old SET mood = 'm9' WHERE id = 1001;
CREATE TABLE oldest PARTITION OF parts FOR VALUES FROM (120) TO (200);
INSERT INTO parts VALUES (1002, 130, '2001-01-01', 'm1');
SELECT kind, records FROM kanon.refresh('parts_k', 'incremental');
SELECT count(*) FILTER (WHERE mood = 'm9') AS m9, count(*) FROM parts_k;
ALTER TABLE parts DETACH PARTITION oldest;
SELECT kind FROM kanon.refresh('parts_k', 'incremental');
CREATE TABLE heirs () INHERITS (stays);
SELECT kanon.define('x_k', 'stays', k => 5, quasi => '{age,zip}', sensitive => '{disease}', algorithm => 'mondrian', incremental => true, joint_k => 0);
DROP TABLE heirs;

-- Columns of a release that somebody adds get their default; renamed ones are followed, those of the source and of its key, too.
ALTER TABLE parts_k ADD COLUMN note text, ADD COLUMN at date DEFAULT '2026-01-01', ADD COLUMN is_old boolean GENERATED ALWAYS AS (lower(age) > 60) STORED;
ALTER TABLE parts_k DROP COLUMN note;
ALTER TABLE parts_k RENAME born TO birthday;
ALTER TABLE parts RENAME born TO date_of_birth;
ALTER TABLE parts RENAME id TO number;
INSERT INTO parts VALUES (1003, 30, '2001-01-01', 'm1');
SELECT kind, records FROM kanon.refresh('parts_k');
UPDATE parts SET mood = 'm8' WHERE number = 1003;
SELECT kind, records FROM kanon.refresh('parts_k', 'incremental');
SELECT count(*) = count(birthday) AS birthdays, count(at) = count(*) AS dates, bool_or(is_old) AS old, count(*) FILTER (WHERE mood = 'm8') AS m8 FROM parts_k;
SELECT holds FROM kanon.check('parts_k');
SECURITY LABEL FOR kanon ON COLUMN parts_k.at IS 'insensitive';
SECURITY LABEL FOR kanon ON COLUMN parts_k.is_old IS 'insensitive';
SELECT k >= 5 AS k, holds FROM kanon.check('parts_k');
SELECT kanon.alter('parts_k', quasi => '{age,date_of_birth}', columns => '{"date_of_birth": {"bands": "year"}}');
ALTER TABLE parts DROP COLUMN mood;
SELECT kind FROM kanon.refresh('parts_k', 'incremental');

-- Another k, other columns: privileges, views and refreshes stay.
CREATE TABLE people AS SELECT * FROM stays;
SELECT kanon.define('people_k', 'people', k => 5, quasi => '{age,zip}', sensitive => '{disease}', identifying => '{id}', algorithm => 'mondrian');
SELECT number FROM kanon.refresh('people_k');
GRANT SELECT ON people_k TO kanon_changes_reader;
CREATE VIEW ages AS SELECT age FROM people_k;
SELECT kanon.alter('people_k', k => 7, quasi => '{age}', sensitive => '{}', insensitive => '{zip}', constraints => '{}');
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'changes' AND table_name = 'people_k' ORDER BY ordinal_position;
SELECT holds, violated FROM kanon.check('people_k');
SELECT number, k >= 7 AS k FROM kanon.refresh('people_k');
SELECT count(*) = count(age) AS ages, has_table_privilege('kanon_changes_reader', 'people_k', 'SELECT') FROM ages;
SELECT kanon.alter('people_k', k => 1);
SELECT kanon.alter('people_k', columns => '{"disease": {"mask": "left"}}');
SELECT kanon.alter('people_k', sensitive => '{zap}');
SELECT kanon.alter('joint_stays_k', k => 6);
SELECT kanon.alter('joint_stays_k', joint_k => 4);
SELECT kanon.restart('joint_stays_k'), kanon.alter('joint_stays_k', k => 6, joint_k => 6);
SELECT kind, k >= 6 AS k FROM kanon.refresh('joint_stays_k', 'incremental');
SELECT kanon.alter('stays_k', sensitive => '{}', identifying => '{disease}');
UPDATE stays SET age = 7 WHERE id = 9;
SELECT kind, records FROM kanon.refresh('stays_k', 'incremental');

-- A definition belongs to the owner of its release.
CREATE ROLE kanon_changes_owner;
GRANT USAGE ON SCHEMA changes TO kanon_changes_owner;
GRANT SELECT ON people TO kanon_changes_owner;
ALTER TABLE people_k OWNER TO kanon_changes_owner;
SET ROLE kanon_changes_owner;
SELECT number FROM kanon.refresh('people_k');
SELECT count(*) FROM kanon.definitions;
RESET ROLE;
-- A published release can be refreshed; who publishes everything is told.
SET client_min_messages = error;
CREATE PUBLICATION one FOR TABLE people_k;
SELECT number FROM kanon.refresh('people_k');
RESET client_min_messages;
CREATE PUBLICATION everything FOR ALL TABLES;
SELECT kanon.alter('people_k', k => 6);
DROP PUBLICATION one, everything;
-- A release that is dropped by hand takes its definition along, and its triggers.
SELECT tgenabled, count(*) FROM pg_trigger WHERE tgrelid = 'stays'::regclass AND tgname LIKE 'kanon%' GROUP BY 1;
DROP TABLE stays_k;
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'stays'::regclass AND tgname LIKE 'kanon%';
UPDATE stays SET age = 8 WHERE id = 10;
SELECT d.release, count(*) FROM kanon.changes c LEFT JOIN kanon.definitions d ON d.id = c.definition GROUP BY 1 ORDER BY 1;
SET client_min_messages = error;
DROP SCHEMA changes CASCADE;
RESET client_min_messages;
SELECT count(*) FROM kanon.definitions WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = release);
SELECT count(*) FROM kanon.source_sums p WHERE NOT EXISTS (SELECT FROM kanon.definitions d WHERE d.id = p.definition);
DROP OWNED BY kanon_changes_reader, kanon_changes_owner;
DROP ROLE kanon_changes_reader, kanon_changes_owner;
