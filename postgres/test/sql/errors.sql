-- What is wrong is said, with its SQLSTATE, and leaves the old release.
\set VERBOSITY verbose
\set SHOW_CONTEXT never
\set ON_ERROR_STOP off
CREATE FUNCTION state_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text;
    hint text;
BEGIN
    EXECUTE sql;
    RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS said = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN sqlstate || ' ' || said || CASE hint WHEN '' THEN '' ELSE ' / ' || hint END;
END
$$;
CREATE TABLE people (id integer PRIMARY KEY, age integer, job text, disease text);
INSERT INTO people SELECT i, 20 + i % 40, 'j' || i % 4, 'd' || i % 3 FROM generate_series(1, 40) i;
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 0, quasi => '{age}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{nothing}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3)$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', sensitive => '{age}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', numbers => 'roman')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', recode => 'x')$$);
SELECT split_part(state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', algorithm => 'magic')$$), ':', 1);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', columns => '{"job": {"mask": "right"}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{job}', columns => '{"job": {"mask": "up"}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', columns => '{"age": {"type": "colour"}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', constraints => '{"model=none"}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', constraints => '{"l-diversity=2"}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', sensitive => '{disease}', constraints => '{"model=distinct-l-diversity,attribute=desease,l=2"}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', columns => '{"age": {"band": 5}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', columns => '{"age": {"Bands": 5}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', columns => '{"age": {"tpo": 50}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', columns => '{"age": {"weight": "heavy"}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', columns => '{"age": 5}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', columns => '{"aeg": {"bands": 5}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{ag}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', effort => 'max')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{job}', taxonomies => '{"job": {"Some": ["j0"]}}', algorithm => 'atuo')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', effort => 'fast', algorithm => 'mondrian', refine => 'none')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', algorithm => 'mondrain')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', algorithm => 'mondrian', settings => '{"tie": "strict"}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', algorithm => 'mondrian', settings => '{"ties": "strikt"}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', settings => '["ties"]')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', refine => 'serch')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', suppress => 2)$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', suppressed => 'release')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', blocks => 2)$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', seed => -1)$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', shuffle_seed => 9007199254740992)$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', taxonomies => '{"age": "no_table"}')$$);
SELECT state_of($$SELECT kanon.define('people', 'people', k => 3, quasi => '{age}')$$);
-- What somebody types first, and forgets.
SELECT state_of($$SELECT kanon.define('x_k')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people')$$);
SELECT state_of($$SELECT kanon.define('people', quasi => '{age}', k => 3)$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', 3)$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, sensitive => '{disease}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => ARRAY['age,job'])$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age,job}', strict => true)$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', sensitive => '{disease}', constraints => '{model=distinct-l-diversity,attribute=disease,l=2}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age,age}', identifying => '{id,job,disease}', strict => true); SELECT kanon.drop('x_k')$$);
-- Separators of numbers in texts.
CREATE TABLE prices AS SELECT CASE WHEN i % 2 = 0 THEN '1.23' || i % 10 || ',5' ELSE '7,25' END AS price FROM generate_series(1, 20) i;
SELECT state_of($$SELECT kanon.define('x_k', 'prices', k => 3, quasi => '{price}', columns => '{"price": {"type": "decimal", "decimal": "comma"}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'prices', k => 3, quasi => '{price}', columns => '{"price": {"decimal": ","}}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'prices', k => 3, quasi => '{price}', columns => '{"price": {"type": "decimal", "decimal": ".", "thousands": ","}}')$$);
SELECT kanon.define('prices_k', 'prices', k => 10, quasi => '{price}', columns => '{"price": {"type": "decimal", "decimal": ",", "thousands": "."}}');
SELECT records FROM kanon.refresh('prices_k');
SELECT DISTINCT price FROM prices_k ORDER BY 1;
SELECT state_of($$SELECT * FROM kanon.refresh('people')$$);
SELECT state_of($$SELECT kanon.drop('people')$$);
-- An empty table is defined as well.
SELECT state_of($$CREATE TABLE nobody (age integer); SELECT kanon.define('x_k', 'nobody', k => 3, quasi => '{age}', effort => 'max')$$);
SET client_min_messages = warning;
SELECT kanon.define('people_k', 'people', k => 3, quasi => '{age,job}', sensitive => '{disease}');
SELECT state_of($$SELECT * FROM kanon.refresh('people_k', 'sideways')$$);
SELECT state_of($$SELECT * FROM kanon.refresh('people_k', 'incremental')$$);
SELECT state_of($$SELECT * FROM kanon.audit('people_k')$$);
SELECT state_of($$SELECT kanon.export('people_k', 'poem')$$);
SELECT records FROM kanon.refresh('people_k');
-- No grouping can meet it.
SELECT kanon.define('much_k', 'people', k => 41, quasi => '{age}');
SELECT state_of($$SELECT * FROM kanon.refresh('much_k')$$);
SELECT kanon.define('diverse_k', 'people', k => 3, quasi => '{age}', sensitive => '{disease}', constraints => '{"model=distinct-l-diversity,attribute=disease,l=9"}');
SELECT state_of($$SELECT * FROM kanon.refresh('diverse_k')$$);
-- Settings that contradict each other, or the type of the column, or its values, are refused before a table is made.
CREATE FUNCTION columns_state(said text) RETURNS text LANGUAGE sql AS $$
    SELECT state_of(format('SELECT kanon.define(''x_k'', ''people'', k => 3, quasi => ''{age,job}'', sensitive => ''{disease}'', columns => %L)', said))
$$;
SELECT columns_state(s) FROM unnest(ARRAY['{"job": {"mask": "left", "taxonomy": {"Some": ["j0", "j1", "j2", "j3"]}}}',
    '{"job": {"order": ["j0", "j1"], "mask": "left"}}', '{"job": {"order": ["j0", "j1"], "type": "categorical"}}', '{"job": {"order": []}}',
    '{"job": {"order": ["j0", "j1"]}}', '{"job": {"type": "ordinal"}}', '{"job": {"type": "integer"}}', '{"job": {"bands": 5}}',
    '{"job": {"type": "integer", "mask": "left"}}', '{"age": {"order": ["1", "2"]}}', '{"age": {"format": "%Y"}}', '{"age": {"bands": 5, "mask": "left"}}',
    '{"age": {"bands": 5, "top": null}}', '{"disease": {"type": "integer", "bands": 5}}']) s;
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => NULL, quasi => '{age}')$$);
CREATE VIEW ends AS SELECT age, age AS age_min, disease FROM people;
SELECT state_of($$SELECT kanon.define('x_k', 'ends', k => 3, quasi => '{age}', identifying => '{age_min}')$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', blocks => -5)$$);
SELECT state_of($$SELECT kanon.define('x_k', 'people', k => 3, quasi => '{age}', entity_together => true)$$);
-- NULL is the default: nothing is left unshuffled by it, and a key has columns.
SELECT kanon.define('null_k', 'people', k => 3, quasi => '{age}', sensitive => '{disease}', algorithm => 'mondrian', insensitive => NULL, key => '{}', columns => NULL,
    taxonomies => NULL, settings => NULL, shuffle => NULL, labels => NULL, numbers => NULL, seed => NULL, incremental => true, identifying => '{job}');
SELECT settings->'shuffle' AS shuffle, settings->'key' AS key FROM kanon.definitions WHERE release = 'null_k'::regclass;
SELECT kanon.drop('null_k');
-- A value that the taxonomy does not have; the message does not say which.
SELECT state_of($$SELECT kanon.define('tree_k', 'people', k => 3, quasi => '{job}', taxonomies => '{"job": {"Some": ["j0", "j1"]}}')$$);
SELECT kanon.define('tree_k', 'people', k => 3, quasi => '{job}', taxonomies => '{"job": {"Some": ["j0", "j1", "j2", "j3"]}}', identifying => '{id,age,disease}');
BEGIN;
INSERT INTO people VALUES (0, 0, 'spy', 'd0');
SELECT state_of($$SELECT * FROM kanon.refresh('tree_k')$$);
ROLLBACK;
-- Memory.
SET maintenance_work_mem = '1MB';
SELECT state_of($$SELECT kanon.define('wide_k', 'people', k => 3, quasi => '{age}'); SELECT count(*) FROM kanon.refresh('wide_k')$$);
CREATE TABLE wide AS SELECT i % 50 AS age, repeat(md5(i::text), 20) AS note FROM generate_series(1, 5000) i;
SELECT kanon.define('wide_notes_k', 'wide', k => 3, quasi => '{age}', insensitive => '{note}');
SELECT state_of($$SELECT count(*) FROM kanon.refresh('wide_notes_k')$$);
RESET maintenance_work_mem;
-- The source, or the release, is another one now.
BEGIN;
ALTER TABLE people_k DROP COLUMN job;
SELECT state_of($$SELECT * FROM kanon.refresh('people_k')$$);
SELECT kanon.alter('people_k');
SELECT records FROM kanon.refresh('people_k');
ROLLBACK;
BEGIN;
ALTER TABLE people DROP COLUMN job;
SELECT state_of($$SELECT * FROM kanon.refresh('people_k')$$);
ROLLBACK;
SELECT count(*) FROM people_k;
INSERT INTO extremes VALUES (NULL, NULL);
CREATE TABLE dates (d date);
INSERT INTO dates SELECT date '2020-01-01' + i FROM generate_series(1, 9) i;
SELECT kanon.define('dates_k', 'dates', k => 2, quasi => '{d}');
INSERT INTO dates VALUES ('infinity');
SELECT state_of($$SELECT * FROM kanon.refresh('dates_k')$$);
-- A failed refresh leaves the old release, whatever else the transaction did.
BEGIN;
DELETE FROM people WHERE id > 2;
SAVEPOINT s;
SELECT state_of($$SELECT * FROM kanon.refresh('people_k')$$);
ROLLBACK;
SELECT count(*) FROM people_k;
TRUNCATE people;
SELECT state_of($$SELECT * FROM kanon.refresh('people_k')$$);
SELECT state_of($$SET kanon.threads = 0$$);
