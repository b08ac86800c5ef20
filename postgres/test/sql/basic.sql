-- From a definition to a release, with every type.
\set SHOW_CONTEXT never
CREATE EXTENSION kanon;
SELECT kanon.version() = extversion FROM pg_extension WHERE extname = 'kanon';
CREATE SCHEMA hospital;
CREATE TYPE hospital.ward AS ENUM ('north', 'south', 'west');
CREATE DOMAIN hospital.years AS integer CHECK (VALUE >= 0);
CREATE TABLE hospital.patients (
    patient_id integer PRIMARY KEY, name text, age hospital.years, height smallint, steps bigint, weight numeric, dose numeric(6, 2),
    pulse real, temperature double precision, born date, seen timestamp, left_at timestamptz, ward hospital.ward, smokes boolean,
    zip text, diagnosis text, cost numeric(8, 2), note varchar(20));
INSERT INTO hospital.patients
SELECT i, 'name ' || i, 20 + i % 60, 150 + i % 50, i * 1000003::bigint, (i % 100) / 8.0, i % 90 + 0.25, (i % 30) / 4.0, sqrt(i % 97),
       date '1950-01-01' + i * 31 % 9999, timestamp '2020-01-01' + i * 91 % 9999 * interval '1 minute',
       timestamptz '2020-01-01 00:00+00' + i * 17 % 999 * interval '1 hour',
       (enum_range(NULL::hospital.ward))[1 + i % 3], i % 2 = 0, to_char(10000 + i * 37 % 500, 'FM00000'), 'd' || i % 7, i * 1.5,
       CASE WHEN i % 5 = 0 THEN NULL ELSE 'n' || i % 3 END
  FROM generate_series(1, 300) i;

SELECT kanon.define('patients_k', 'hospital.patients', k => 10,
    quasi => '{age,height,steps,weight,dose,pulse,temperature,born,seen,left_at,ward,smokes,zip}', sensitive => '{diagnosis,cost}',
    insensitive => '{note}', entity => 'patient_id', columns => '{"zip": {"mask": "right"}}');
SET client_min_messages = warning;
SELECT attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum)
  FROM pg_attribute WHERE attrelid = 'patients_k'::regclass AND attnum > 0 ORDER BY attnum;
SELECT obj_description('patients_k'::regclass);
SELECT number, kind, records, suppressed, k >= 10 AS reached, loss > 0 AS lost FROM kanon.refresh('patients_k');
SELECT records, suppressed, k >= 10 AS reached, violated, holds FROM kanon.check('patients_k');
-- What PostgreSQL itself counts.
SELECT min(n) >= 10 AS k_reached, sum(n) FROM (SELECT count(*) AS n FROM patients_k
    GROUP BY age, height, steps, weight, dose, pulse, temperature, born, seen, left_at, ward_min, ward_max, smokes, zip) classes;
SELECT count(*) FROM (SELECT diagnosis, cost, note FROM patients_k EXCEPT ALL SELECT diagnosis, cost, note FROM hospital.patients) more;
SELECT measure, value FROM kanon.measures('patients_k') WHERE "column" IS NULL AND measure IN ('records', 'suppressed');
SELECT json_typeof(kanon.report('patients_k'));
SELECT "row", mark FROM kanon.verdict('patients_k') WHERE "row" IN ('k', 'cells', 'order');
SELECT DISTINCT model, "column", figure FROM kanon.check_figures('patients_k') WHERE "column" = 'cost' AND figure = 'distinct_l';
-- Oid, grants and indexes stay.
CREATE ROLE kanon_reader;
GRANT SELECT ON patients_k TO kanon_reader;
CREATE INDEX patients_k_age ON patients_k USING gist (age);
SELECT 'patients_k'::regclass::oid AS before \gset
SELECT number, kind FROM kanon.refresh('patients_k', 'full');
SELECT 'patients_k'::regclass::oid = :before AS same_table, has_table_privilege('kanon_reader', 'patients_k', 'SELECT') AS granted;
SET enable_seqscan = off;
SELECT count(*) = (SELECT count(*) FROM patients_k WHERE age @> 33 OR false) FROM patients_k WHERE age @> 33;
RESET enable_seqscan;
-- The source is covered: each row of it fits a row of the release.
SELECT count(*) FROM hospital.patients p WHERE NOT EXISTS (SELECT FROM patients_k r
    WHERE (r.age @> p.age::integer OR r.age IS NULL) AND (r.born @> p.born OR r.born IS NULL) AND (r.weight @> p.weight OR r.weight IS NULL)
      AND (r.seen @> p.seen OR r.seen IS NULL) AND (r.left_at @> p.left_at OR r.left_at IS NULL) AND (r.steps @> p.steps OR r.steps IS NULL)
      AND (p.ward BETWEEN r.ward_min AND r.ward_max OR r.ward_min IS NULL) AND r.diagnosis = p.diagnosis AND r.cost = p.cost);

-- Other forms of numbers.
SELECT kanon.define('columns_k', 'hospital.patients', k => 5, quasi => '{age,weight,born,seen,pulse}', numbers => 'columns', sensitive => '{diagnosis}');
SELECT kanon.define('text_k', 'hospital.patients', k => 5, quasi => '{age,weight,born,seen,pulse}', numbers => 'interval');
SELECT kanon.define('mean_k', 'hospital.patients', k => 5, quasi => '{age,weight,born,seen,pulse}', numbers => 'mean');
SELECT records, k >= 5 AS reached FROM kanon.refresh('columns_k');
SELECT records, k >= 5 AS reached FROM kanon.refresh('text_k');
SELECT records, k >= 5 AS reached FROM kanon.refresh('mean_k');
SELECT bool_and(age_min <= age_max AND born_min <= born_max AND weight_min <= weight_max) FROM columns_k;
SELECT bool_and(age ~ '^\[?\d') FROM text_k;
SELECT bool_and(age BETWEEN 20 AND 80) FROM mean_k;
SELECT attname, format_type(atttypid, -1) FROM pg_attribute WHERE attrelid = 'columns_k'::regclass AND attnum > 0 ORDER BY attnum;
-- Bands: ends where bands end, and open ends.
SELECT kanon.define('bands_k', 'hospital.patients', k => 5, quasi => '{age,weight,born}',
    columns => '{"age": {"bands": 10, "top": 70}, "weight": {"bands": [0, 2.5, 5, 10, 20]}, "born": {"bands": "year"}}');
SELECT records FROM kanon.refresh('bands_k');
SELECT bool_and(lower(age) % 10 = 0 AND (upper_inf(age) OR upper(age) % 10 = 0)), bool_or(upper_inf(age)) FROM bands_k;
SELECT DISTINCT upper_inc(weight) FROM bands_k;
-- Extremes have no successor: the range has no end.
CREATE TABLE extremes AS SELECT CASE i % 2 WHEN 0 THEN 2147483647 ELSE -2147483648 END AS a, 9223372036854775807 - i / 4 AS b FROM generate_series(1, 8) i;
SELECT kanon.define('extremes_k', 'extremes', k => 4, quasi => '{a,b}', shuffle => false);
SELECT records, k FROM kanon.refresh('extremes_k');
SELECT DISTINCT a FROM extremes_k ORDER BY 1;
-- Requirements, suppression, an algorithm with its settings, a refinement, a mapping per attribute.
SELECT kanon.define('strict_k', 'hospital.patients', k => 4, quasi => '{age,zip}', sensitive => '{diagnosis}', columns => '{"zip": {"mask": "right"}}',
    constraints => '{"model=distinct-l-diversity,attribute=diagnosis,l=3"}', suppress => 0.1, algorithm => 'kmember', seed => 7);
SELECT records, suppressed <= 30 AS few FROM kanon.refresh('strict_k');
-- Suppressed rows are not there.
SELECT sum(CASE m.measure WHEN 'records' THEN m.value ELSE -m.value END) = (SELECT count(*) FROM strict_k) AS absent
    FROM kanon.measures('strict_k') m WHERE m."column" IS NULL AND m.measure IN ('records', 'suppressed');
SELECT holds, violated FROM kanon.check('strict_k');
SELECT min(n) >= 3 FROM (SELECT count(DISTINCT diagnosis) AS n FROM strict_k WHERE age IS NOT NULL GROUP BY age, zip) classes;
SELECT kanon.define('mondrian_k', 'hospital.patients', k => 4, quasi => '{age,born}', algorithm => 'mondrian', settings => '{"ties": "relaxed"}', refine => 'il-optimization');
SELECT records FROM kanon.refresh('mondrian_k');
SELECT kanon.define('mapped_k', 'hospital.patients', k => 4, quasi => '{age,born}', recode => 'attribute');
SELECT records FROM kanon.refresh('mapped_k');
-- A view as the source.
CREATE VIEW hospital.adults AS SELECT * FROM hospital.patients WHERE age >= 30;
SELECT kanon.define('adults_k', 'hospital.adults', k => 4, quasi => '{age,smokes}');
SELECT records = (SELECT count(*) FROM hospital.adults) FROM kanon.refresh('adults_k');
SELECT kanon.drop('adults_k');
SELECT to_regclass('adults_k') IS NULL, count(*) FROM kanon.definitions WHERE source = 'hospital.adults'::regclass;
-- Names of 63 bytes, and two columns of one name.
CREATE TABLE longs AS SELECT i AS "äbcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghi", i AS b, 1 AS b_min, gen_random_uuid() AS uid FROM generate_series(1, 9) i;
SELECT kanon.define('longs_k', 'longs', k => 3, quasi => '{"äbcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghi",b}', numbers => 'columns');
SELECT records FROM kanon.refresh('longs_k');
SELECT attname, octet_length(attname) FROM pg_attribute WHERE attrelid = 'longs_k'::regclass AND attnum > 0 ORDER BY attnum;
SELECT holds FROM kanon.check('longs_k');
SELECT kanon.define('twice_k', 'longs', k => 3, quasi => '{b}', insensitive => '{b_min}', numbers => 'columns');
-- Texts that mean "no value" come in addition to the empty one, which may be a value.
CREATE TABLE gaps AS SELECT (ARRAY['?', '', 'a'])[1 + i % 3] AS t FROM generate_series(1, 9) i;
SELECT kanon.define('gaps_k', 'gaps', k => 3, quasi => '{t}', missing => '{?}', algorithm => 'mondrian'),
       kanon.define('values_k', 'gaps', k => 3, quasi => '{t}', missing => '{?}', empty => 'value', algorithm => 'mondrian');
SELECT (kanon.refresh('gaps_k')).records, (kanon.refresh('values_k')).records;
SELECT (SELECT count(*) FROM gaps_k WHERE t = '') AS missing, (SELECT count(*) FROM values_k WHERE t = '') AS value;
-- A seed alone shuffles; the order is one of the rows.
SELECT kanon.define('ordered_k', 'hospital.patients', k => 5, quasi => '{age}', sensitive => '{zip}', algorithm => 'mondrian', shuffle => false, shuffle_seed => 5),
       kanon.define('again_k', 'hospital.patients', k => 5, quasi => '{age}', sensitive => '{zip}', algorithm => 'mondrian', shuffle_seed => 5);
SELECT (kanon.refresh('ordered_k')).records, (kanon.refresh('again_k')).records;
SELECT array_agg(zip ORDER BY ctid) = (SELECT array_agg(zip ORDER BY ctid) FROM again_k) AS same,
       array_agg(zip ORDER BY ctid) <> (SELECT array_agg(zip ORDER BY patient_id) FROM hospital.patients) AS shuffled FROM ordered_k;
-- Enums, and texts whose order is said, are intervals of levels, refreshed by change as well.
CREATE TABLE schools (id integer PRIMARY KEY, ward hospital.ward, school text);
INSERT INTO schools SELECT i, (enum_range(NULL::hospital.ward))[1 + i % 2], (ARRAY['none', 'primary', 'higher'])[1 + i % 3] FROM generate_series(1, 12) i;
SELECT kanon.define('schools_k', 'schools', k => 6, quasi => '{ward,school}', columns => '{"school": {"order": ["none", "primary", "higher"]}}',
                    algorithm => 'mondrian', incremental => true, joint_k => 0);
SELECT records FROM kanon.refresh('schools_k');
INSERT INTO schools VALUES (13, 'west', 'higher');
SELECT kind, records FROM kanon.refresh('schools_k', 'incremental');
SELECT max(ward_max), min(ward_min), bool_and(ward_min <= ward_max), max(school_max) FROM schools_k;
SELECT k >= 6 AS k, holds FROM kanon.check('schools_k');
SELECT kanon.define('levels_k', 'schools', k => 12, quasi => '{school}', columns => '{"school": {"order": ["none", "primary", "higher"]}}', numbers => 'interval');
SELECT records FROM kanon.refresh('levels_k');
SELECT DISTINCT school FROM levels_k;
SELECT kanon.define('wrong_k', 'schools', k => 6, quasi => '{school}', columns => '{"school": {"order": "none"}}');
-- A column that says nothing is a waste, and it is said.
SELECT kanon.define('uid_k', 'longs', k => 3, quasi => '{b,uid}');
SELECT records FROM kanon.refresh('uid_k');
-- Nothing is left of a refresh that is over.
SELECT count(*) FROM kanon.progress;
