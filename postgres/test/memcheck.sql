CREATE EXTENSION kanon;

CREATE TABLE v (id integer PRIMARY KEY, age integer, born date, zip text, weight numeric, smokes boolean, disease text, cost numeric(8, 2), note text);

INSERT INTO v SELECT i, 20 + i * 7 % 60, date '1950-01-01' + i * 31 % 9999, to_char(10000 + i * 37 % 500, 'FM00000'), (i % 100) / 8.0, i % 2 = 0, 'd' || i % 7, i * 1.25, CASE WHEN i % 4 = 0 THEN NULL ELSE 'n' || i % 3 END FROM generate_series(1, 120) i;

SELECT kanon.define('v_k', 'v', k => 4, quasi => '{age,born,zip,weight,smokes}', sensitive => '{disease,cost}', insensitive => '{note}', columns => '{"zip": {"mask": "right"}}', algorithm => 'mondrian', report => true, incremental => true, joint_k => 0);

SELECT number, kind, records FROM kanon.refresh('v_k', 'incremental');

INSERT INTO v SELECT 1000 + id, age, born, zip, weight, smokes, disease, cost, note FROM v WHERE id < 5;

DELETE FROM v WHERE id BETWEEN 10 AND 14;

UPDATE v SET age = age + 1 WHERE id BETWEEN 30 AND 34;

SELECT number, kind, records FROM kanon.refresh('v_k', 'incremental');

ALTER TABLE v_k ADD COLUMN at timestamptz DEFAULT now();

SELECT number, kind, records FROM kanon.refresh('v_k', 'incremental');

ALTER TABLE v DISABLE TRIGGER USER;

DELETE FROM v WHERE id = 20;

SELECT kanon.refresh('v_k', 'incremental');

SELECT kanon.alter('v_k', k => 5, sensitive => '{disease}');

SELECT kanon.refresh('v_k');

SELECT holds FROM kanon.check('v_k');

SELECT count(*) FROM kanon.check_figures('v_k');

SELECT releases FROM kanon.audit('v_k');

SELECT length(kanon.export('v_k')) > 10;

SET maintenance_work_mem = '1MB';

SELECT kanon.refresh('v_k', 'incremental');

SELECT kanon.refresh('v_k');

RESET maintenance_work_mem;

SELECT kanon.drop('v_k');

