-- Columns of sources and releases get other names and types, go, and come again.
\set SHOW_CONTEXT never
CREATE SCHEMA shapes;
SET search_path = shapes;
CREATE TABLE visits (id integer PRIMARY KEY, age integer, zip text, disease text, note text);
INSERT INTO visits SELECT i, i * 7 % 60, 'z' || i % 3, 'd' || i % 5, 'n' FROM generate_series(1, 300) i;
SELECT kanon.define('visits_k', 'visits', k => 5, quasi => '{age,zip}', sensitive => '{disease}', identifying => '{note}', algorithm => 'mondrian', incremental => true);
SELECT kind FROM kanon.refresh('visits_k');

-- A name that changes twice, two columns that exchange their names, and a new column with a name that another one had.
ALTER TABLE visits RENAME zip TO code;
ALTER TABLE visits RENAME code TO postcode;
ALTER TABLE visits_k RENAME zip TO code;
ALTER TABLE visits_k RENAME code TO postcode;
ALTER TABLE visits RENAME disease TO other;
ALTER TABLE visits RENAME note TO disease;
ALTER TABLE visits RENAME other TO note;
ALTER TABLE visits ADD zip text DEFAULT 'secret';
SELECT kind FROM kanon.refresh('visits_k', 'incremental');
ALTER TABLE visits RENAME zip TO hidden;
SELECT kind FROM kanon.refresh('visits_k', 'incremental');
SELECT count(*) FILTER (WHERE postcode LIKE 'z%') > 0 AS postcodes, count(DISTINCT disease) AS diseases FROM visits_k;
ALTER TABLE visits RENAME hidden TO zip;
SELECT settings->'source_names' AS source, settings->'release_names' AS release FROM kanon.definitions WHERE release = 'visits_k'::regclass;
-- The old name says neither of the two.
SELECT kanon.alter('visits_k', quasi => '{age,zip}');
SELECT kanon.restart('visits_k'), kanon.alter('visits_k', quasi => '{age}', insensitive => '{postcode}');
SELECT kanon.alter('visits_k', quasi => '{age}', insensitive => '{}', identifying => '{postcode,disease}');
-- It is free once the definition does not speak of the column.
ALTER TABLE visits DROP postcode;
SELECT kanon.alter('visits_k', identifying => '{disease}');
SELECT kanon.alter('visits_k', insensitive => '{zip}');
SELECT kind FROM kanon.refresh('visits_k');
SELECT count(*) FILTER (WHERE zip = 'secret') AS secrets FROM visits_k;
DROP TABLE visits;
SELECT kanon.drop('visits_k');

-- Another type in the source: the refresh says what to do, and no value; the column keeps its place and its privileges.
CREATE ROLE kanon_shapes_reader;
CREATE TABLE types (age integer, zip text, disease text, score numeric(4, 1));
INSERT INTO types SELECT i * 7 % 60, i % 3, i % 5, i % 4 FROM generate_series(1, 300) i;
SELECT kanon.define('types_k', 'types', k => 5, quasi => '{age,zip,score}', sensitive => '{disease}', algorithm => 'mondrian');
SELECT kind FROM kanon.refresh('types_k');
GRANT SELECT (zip) ON types_k TO kanon_shapes_reader;
ALTER TABLE types ALTER age TYPE bigint;
UPDATE types SET age = age + 5000000000 WHERE age < 20;
SELECT kind FROM kanon.refresh('types_k');
ALTER TABLE types ALTER age TYPE text, ALTER zip TYPE integer USING zip::integer, ALTER disease TYPE integer USING disease::integer;
SELECT kind FROM kanon.refresh('types_k');
SELECT kanon.alter('types_k');
SELECT kind FROM kanon.refresh('types_k');
SELECT column_name, data_type, has_column_privilege('kanon_shapes_reader', 'types_k', column_name, 'SELECT') FROM information_schema.columns
 WHERE table_schema = 'shapes' AND table_name = 'types_k' ORDER BY ordinal_position;
SELECT count(zip) > 0 AS zips, count(disease) = count(*) AS diseases FROM types_k;
-- A type that somebody gave the release; texts of every kind fit.
ALTER TABLE types_k ALTER score TYPE text, ALTER age TYPE varchar;
SELECT kind FROM kanon.refresh('types_k');
SELECT kanon.alter('types_k', numbers => 'columns');
SELECT kind FROM kanon.refresh('types_k');
-- Columns of the source go, one after another; one that somebody has added to the release is not taken.
ALTER TABLE types DROP disease;
SELECT kanon.alter('types_k', sensitive => '{}');
ALTER TABLE types DROP zip;
SELECT kanon.alter('types_k', quasi => '{age,score}');
ALTER TABLE types_k ADD zip integer;
ALTER TABLE types ADD zip integer DEFAULT 1;
SELECT kanon.alter('types_k', insensitive => '{zip}');
ALTER TABLE types_k DROP zip;
SELECT kanon.alter('types_k', insensitive => '{zip}');
SELECT kind FROM kanon.refresh('types_k');
SELECT string_agg(attname || ' ' || format_type(atttypid, -1), ', ' ORDER BY attnum) FROM pg_attribute
 WHERE attrelid = 'types_k'::regclass AND attnum > 0 AND NOT attisdropped;

-- An enum gets labels: a state keeps the levels that it was made with, and says what to do.
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TABLE moods (id integer PRIMARY KEY, mood mood);
INSERT INTO moods SELECT i, (ARRAY['low', 'high'])[1 + i % 2]::mood FROM generate_series(1, 100) i;
SELECT kanon.define('moods_k', 'moods', k => 5, quasi => '{mood}', algorithm => 'mondrian', incremental => true);
SELECT kind FROM kanon.refresh('moods_k');
ALTER TYPE mood ADD VALUE 'top';
INSERT INTO moods SELECT 100 + i, 'top' FROM generate_series(1, 5) i;
SELECT kind FROM kanon.refresh('moods_k', 'incremental');
SELECT kanon.restart('moods_k');
SELECT kind FROM kanon.refresh('moods_k');
SELECT count(*) FROM moods_k WHERE mood_max = 'top';
-- So says a state that is damaged.
DELETE FROM kanon.state_pages WHERE page > 1;
SELECT kind FROM kanon.refresh('moods_k', 'incremental');

-- What a replica is told drops and renames, too.
SET session_replication_role = replica;
ALTER TABLE moods RENAME mood TO feeling;
RESET session_replication_role;
SELECT kanon.restart('moods_k');
SELECT kind FROM kanon.refresh('moods_k');
SET session_replication_role = replica;
DROP TABLE moods_k;
RESET session_replication_role;
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'moods'::regclass AND tgname LIKE 'kanon%';

SET client_min_messages = error;
DROP SCHEMA shapes CASCADE;
DROP ROLE kanon_shapes_reader;
