-- Taxonomies from tables and arguments, roles from labels.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE TABLE jobs (leaf text, parent text);
INSERT INTO jobs VALUES ('nurse', 'Health'), ('surgeon', 'Health'), ('baker', 'Food'), ('cook', 'Food'), ('Health', 'any'), ('Food', 'any');
SELECT kanon.taxonomy_of('jobs');
CREATE TABLE workers (age integer, job text, disease text, note text);
INSERT INTO workers SELECT 20 + i % 30, (array['nurse', 'surgeon', 'baker', 'cook'])[1 + i % 4], 'd' || i % 5, 'x' FROM generate_series(1, 60) i;
SELECT kanon.define('workers_k', 'workers', k => 20, quasi => '{job}', taxonomies => '{"job": "jobs"}', sensitive => '{disease}');
SELECT records FROM kanon.refresh('workers_k');
SELECT job, count(*) FROM workers_k GROUP BY 1 ORDER BY 1;
SELECT kanon.define('inline_k', 'workers', k => 20, quasi => '{job}', taxonomies => '{"job": {"Health": ["nurse", "surgeon"], "Food": ["baker", "cook"]}}');
SELECT records FROM kanon.refresh('inline_k');
SELECT job, count(*) FROM inline_k GROUP BY 1 ORDER BY 1;
-- Tops without a root stand below "*", which is NULL.
CREATE TABLE two_tops (node text, parent text);
INSERT INTO two_tops VALUES ('nurse', 'Health'), ('surgeon', 'Health'), ('baker', 'Food'), ('cook', 'Food');
SELECT kanon.taxonomy_of('two_tops');
SELECT kanon.define('tops_k', 'workers', k => 60, quasi => '{job}', taxonomies => '{"job": "two_tops"}');
SELECT records FROM kanon.refresh('tops_k');
SELECT DISTINCT job FROM tops_k;
CREATE TABLE empty_taxonomy (node text, parent text);
SELECT kanon.define('empty_k', 'workers', k => 5, quasi => '{job}', taxonomies => '{"job": "empty_taxonomy"}');
-- Labels.
SECURITY LABEL FOR kanon ON COLUMN workers.age IS 'quasi';
SECURITY LABEL FOR kanon ON COLUMN workers.disease IS 'sensitive';
SECURITY LABEL FOR kanon ON COLUMN workers.note IS 'secret';
SECURITY LABEL FOR kanon ON TABLE workers IS 'quasi';
SELECT kanon.define('labels_k', 'workers', k => 5);
SELECT attname FROM pg_attribute WHERE attrelid = 'labels_k'::regclass AND attnum > 0 ORDER BY attnum;
-- Those of PostgreSQL Anonymizer, as it leaves them in the catalogue.
SET allow_system_table_mods = on;
INSERT INTO pg_seclabel VALUES ('workers'::regclass, 'pg_class'::regclass, 2, 'k_anonymity', 'INDIRECT IDENTIFIER'),
                               ('workers'::regclass, 'pg_class'::regclass, 4, 'anon', 'QUASI IDENTIFIER');
RESET allow_system_table_mods;
SELECT kanon.define('anonymizer_k', 'workers', k => 5);
SELECT attname FROM pg_attribute WHERE attrelid = 'anonymizer_k'::regclass AND attnum > 0 ORDER BY attnum;
SELECT records FROM kanon.refresh('anonymizer_k');
SELECT kanon.define('arguments_k', 'workers', k => 5, quasi => '{age}', labels => false);
SELECT attname FROM pg_attribute WHERE attrelid = 'arguments_k'::regclass AND attnum > 0 ORDER BY attnum;
