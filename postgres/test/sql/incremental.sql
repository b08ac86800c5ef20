-- Refresh by change: notes, state, joint anonymity, audit.
\set SHOW_CONTEXT never
CREATE TABLE visits (id integer PRIMARY KEY, age integer, born date, zip text, weight numeric, smokes boolean, disease text, cost numeric(8, 2), note text);
CREATE FUNCTION some_visits(first integer, last integer) RETURNS SETOF visits LANGUAGE sql AS $$
    SELECT i, 20 + i * 7 % 60, date '1950-01-01' + i * 31 % 9999, to_char(10000 + i * 37 % 500, 'FM00000'), (i % 100) / 8.0, i % 2 = 0, 'd' || i % 7,
           i * 1.25, CASE WHEN i % 4 = 0 THEN NULL ELSE 'n' || i % 3 END FROM generate_series(first, last) i
$$;
INSERT INTO visits SELECT * FROM some_visits(1, 400);
SELECT kanon.define('visits_k', 'visits', k => 5, quasi => '{age,born,zip,weight,smokes}', sensitive => '{disease,cost}', insensitive => '{note}',
                    columns => '{"zip": {"mask": "right"}}', incremental => true, joint_k => 0);
SELECT tgname LIKE 'kanon%' AS ours, count(*) FROM pg_trigger WHERE tgrelid = 'visits'::regclass GROUP BY 1;
-- The first refresh groups everything and makes the state.
SELECT number, kind, records FROM kanon.refresh('visits_k', 'incremental');
SELECT count(*) > 0 AS has_state, bool_and(length(bytes) = 4096) FROM kanon.state_pages;
INSERT INTO visits SELECT * FROM some_visits(401, 430);
DELETE FROM visits WHERE id <= 10;
UPDATE visits SET age = age + 1 WHERE id BETWEEN 30 AND 45;
UPDATE visits SET id = 1000 WHERE id = 50;
INSERT INTO visits SELECT * FROM some_visits(900, 900);
DELETE FROM visits WHERE id = 900;
SELECT operation, count(*) FROM kanon.changes c JOIN kanon.definitions d ON d.id = c.definition WHERE d.source = 'visits'::regclass GROUP BY 1 ORDER BY 1;
SELECT number, kind, records, k >= 5 AS reached FROM kanon.refresh('visits_k', mode => 'incremental');
SELECT count(*) FROM kanon.changes c JOIN kanon.definitions d ON d.id = c.definition WHERE d.source = 'visits'::regclass;
-- The release is one of the source as it is now.
SELECT disease, cost, note FROM visits_k EXCEPT ALL SELECT disease, cost, note FROM visits;
SELECT disease, cost, note FROM visits EXCEPT ALL SELECT disease, cost, note FROM visits_k;
SELECT count(*) FROM visits v WHERE NOT EXISTS (SELECT FROM visits_k r WHERE (r.age @> v.age OR r.age IS NULL) AND (r.born @> v.born OR r.born IS NULL)
    AND (r.weight @> v.weight OR r.weight IS NULL) AND r.cost = v.cost);
SELECT min(n) >= 5 FROM (SELECT count(*) AS n FROM visits_k GROUP BY age, born, zip, weight, smokes) classes;
SELECT holds FROM kanon.check('visits_k');
SELECT releases, records, departed, smallest < 5 AS small FROM kanon.audit('visits_k');
SELECT releases, asked FROM kanon.audit('visits_k', k => 3);
-- Nothing changed: the same release again. A rolled back change is none.
BEGIN;
DELETE FROM visits WHERE id > 200;
ROLLBACK;
CREATE TABLE before AS SELECT v::text AS row FROM visits_k v;
SELECT kind, records FROM kanon.refresh('visits_k', 'incremental');
SELECT v::text FROM visits_k v EXCEPT ALL SELECT row FROM before;
-- A full refresh begins a new state.
SELECT kind FROM kanon.refresh('visits_k');
SELECT releases FROM kanon.audit('visits_k');
TRUNCATE visits;
INSERT INTO visits SELECT * FROM some_visits(1, 100);
SELECT kind FROM kanon.refresh('visits_k', 'incremental');
SELECT kind, records FROM kanon.refresh('visits_k', 'full');
SELECT kanon.drop('visits_k');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'visits'::regclass;
SELECT (SELECT count(*) FROM kanon.state_pages p JOIN kanon.definitions d ON d.id = p.definition WHERE d.source = 'visits'::regclass) AS pages;
-- Joint anonymity over all releases.
SELECT kanon.define('joint_k', 'visits', k => 5, quasi => '{age,born}', sensitive => '{disease}', incremental => true, joint_k => 3);
SELECT kind, records FROM kanon.refresh('joint_k', 'incremental');
INSERT INTO visits SELECT * FROM some_visits(101, 140);
SELECT kind, records <= 140 AS all_or_fewer FROM kanon.refresh('joint_k', 'incremental');
DELETE FROM visits WHERE id % 9 = 0 AND id > 100;
SELECT kind FROM kanon.refresh('joint_k', 'incremental');
SELECT releases, smallest >= 3 AS joint, below FROM kanon.audit('joint_k', 3);
SELECT * FROM kanon.refresh('joint_k');
SELECT kanon.restart('joint_k');
SELECT kind FROM kanon.refresh('joint_k');
-- Keys of several columns, and of dates whatever the style of dates is.
CREATE TABLE stays (ward text, day date, age integer, PRIMARY KEY (ward, day));
INSERT INTO stays SELECT 'w' || i % 5, date '2024-01-01' + i, 20 + i % 50 FROM generate_series(1, 60) i;
SELECT kanon.define('stays_k', 'stays', k => 4, quasi => '{age}', incremental => true, joint_k => 0);
SELECT records FROM kanon.refresh('stays_k', 'incremental');
SET datestyle = 'SQL, DMY';
DELETE FROM stays WHERE day = '02/01/2024';
UPDATE stays SET age = age + 1 WHERE day = '04/01/2024';
RESET datestyle;
SELECT records FROM kanon.refresh('stays_k', 'incremental');
-- New values: welcome without a taxonomy, refused with one.
CREATE TABLE trades (id integer PRIMARY KEY, job text);
INSERT INTO trades SELECT i, 'j' || i % 3 FROM generate_series(1, 30) i;
SELECT kanon.define('trades_k', 'trades', k => 3, quasi => '{job}', incremental => true, joint_k => 0);
SELECT kanon.define('tree_trades_k', 'trades', k => 3, quasi => '{job}', taxonomies => '{"job": ["j0", "j1", "j2"]}', incremental => true);
SELECT kanon.define('tree_trades_k', 'trades', k => 3, quasi => '{job}', taxonomies => '{"job": {"any": ["j0", "j1", "j2"]}}', incremental => true, joint_k => 0);
SELECT (kanon.refresh('trades_k', 'incremental')).records, (kanon.refresh('tree_trades_k', 'incremental')).records;
INSERT INTO trades SELECT 100 + i, 'new' FROM generate_series(1, 4) i;
SELECT records FROM kanon.refresh('trades_k', 'incremental');
SELECT job, count(*) FROM trades_k GROUP BY 1 ORDER BY 1;
SELECT records FROM kanon.refresh('tree_trades_k', 'incremental');
CREATE TABLE keyless (age integer);
SELECT kanon.define('keyless_k', 'keyless', k => 4, quasi => '{age}', incremental => true);
CREATE VIEW stays_view AS SELECT * FROM stays;
SELECT kanon.define('view_k', 'stays_view', k => 4, quasi => '{age}', key => '{ward,day}', incremental => true);
