-- An analyst reads the release and nothing else; only the owner of a definition sees and refreshes it.
\set SHOW_CONTEXT never
CREATE ROLE kanon_owner;
CREATE ROLE kanon_analyst;
CREATE ROLE kanon_other;
CREATE SCHEMA secret AUTHORIZATION kanon_owner;
GRANT CREATE, USAGE ON SCHEMA public TO kanon_owner;
SET ROLE kanon_owner;
CREATE TABLE secret.staff (id integer PRIMARY KEY, age integer, job text, pay integer);
INSERT INTO secret.staff SELECT i, 20 + i % 40, 'j' || i % 4, i * 10 FROM generate_series(1, 60) i;
SELECT kanon.define('public.staff_k', 'secret.staff', k => 5, quasi => '{age,job}', sensitive => '{pay}', incremental => true, joint_k => 0);
SELECT records FROM kanon.refresh('staff_k');
GRANT SELECT ON staff_k TO kanon_analyst;
RESET ROLE;

SET ROLE kanon_analyst;
SELECT count(*) FROM staff_k;
SELECT count(*) FROM secret.staff;
SELECT * FROM kanon.refresh('staff_k');
SELECT * FROM kanon.check('staff_k');
SELECT kanon.export('staff_k');
SELECT * FROM kanon.audit('staff_k');
SELECT count(*) FROM kanon.measures('staff_k');
SELECT kanon.report('staff_k');
SELECT count(*) FROM kanon.definitions;
SELECT count(*) FROM kanon.refreshes;
SELECT count(*) FROM kanon.state_pages;
SELECT count(*) FROM kanon.changes;
DELETE FROM kanon.definitions;
SELECT kanon.drop('staff_k');
INSERT INTO kanon.definitions (release, source, settings) VALUES (1, 1, '{}');
DELETE FROM staff_k;
SELECT kanon.define('theirs_k', 'secret.staff', k => 2, quasi => '{age}');
RESET ROLE;

-- Somebody else has no way to write notes into the definition of another.
GRANT CREATE ON SCHEMA public TO kanon_other;
SELECT id AS definition FROM kanon.definitions WHERE release = 'staff_k'::regclass \gset
SET ROLE kanon_other;
CREATE TABLE mine (id integer, age integer);
CREATE TRIGGER forged AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION kanon.note_change(:'definition', 1, 'id', 'id');
INSERT INTO mine VALUES (1, 1);
RESET ROLE;
SELECT count(*) FROM kanon.changes;
-- Whoever may change the source has its changes noted, and sees no notes.
GRANT USAGE ON SCHEMA secret TO kanon_other;
GRANT INSERT, SELECT, UPDATE ON secret.staff TO kanon_other;
SET ROLE kanon_other;
INSERT INTO secret.staff VALUES (100, 33, 'j1', 5);
UPDATE secret.staff SET pay = 6 WHERE id = 100;
SELECT count(*) FROM kanon.changes;
RESET ROLE;
SELECT operation, key FROM kanon.changes ORDER BY place;
-- A member of the owner's role refreshes as the owner; so does the superuser, whose rights the work does not get.
CREATE ROLE kanon_night IN ROLE kanon_owner;
SET ROLE kanon_night;
SELECT kind, records FROM kanon.refresh('staff_k', 'incremental');
RESET ROLE;
CREATE TABLE secret.log (who text);
GRANT INSERT ON secret.log TO PUBLIC;
CREATE FUNCTION secret.spy(integer) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO secret.log VALUES (current_user);
    RETURN $1;
END
$$;
ALTER FUNCTION secret.spy(integer) OWNER TO kanon_owner;
SET ROLE kanon_owner;
CREATE VIEW secret.watched AS SELECT secret.spy(age) AS age, job FROM secret.staff;
SELECT kanon.define('watched_k', 'secret.watched', k => 5, quasi => '{age,job}');
RESET ROLE;
SELECT records FROM kanon.refresh('watched_k');
SELECT DISTINCT who FROM secret.log;
-- Names are looked up in pg_catalog, whatever stands first in the search_path.
CREATE SCHEMA trap AUTHORIZATION kanon_other;
SET ROLE kanon_other;
CREATE FUNCTION trap.format(text, text) RETURNS text LANGUAGE sql AS $$ SELECT 'DROP TABLE x' $$;
CREATE FUNCTION trap.coalesce(text, text) RETURNS text LANGUAGE sql AS $$ SELECT 'trap' $$;
CREATE TABLE trap.definitions (id integer);
RESET ROLE;
SET search_path = trap, kanon, public;
SELECT records FROM refresh('staff_k');
RESET search_path;
-- An operator of the caller's does not get the rights of the extension's owner.
GRANT USAGE ON SCHEMA trap TO PUBLIC;
SET ROLE kanon_other;
CREATE TABLE trap.log (who text);
GRANT INSERT ON trap.log TO PUBLIC;
CREATE FUNCTION trap.same(uuid, uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO trap.log VALUES (current_user);
    RETURN true;
END
$$;
CREATE OPERATOR trap.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = trap.same);
SET search_path = trap, pg_catalog, public;
INSERT INTO secret.staff VALUES (101, 34, 'j2', 7);
RESET search_path;
RESET ROLE;
SELECT * FROM trap.log;
-- A forged definition does not open the table of another.
GRANT SELECT ON staff_k TO kanon_other;
SET ROLE kanon_other;
CREATE TABLE own (age integer, job text, pay integer);
INSERT INTO own SELECT i, 'x', i FROM generate_series(1, 9) i;
SELECT kanon.define('own_k', 'own', k => 3, quasi => '{age,job}', sensitive => '{pay}');
UPDATE kanon.definitions SET release = 'watched_k'::regclass WHERE release = 'own_k'::regclass;
INSERT INTO kanon.definitions (release, source, settings) SELECT 'secret.log', 'own', settings FROM kanon.definitions;
CREATE TABLE forged (age int4range, job text, pay integer);
UPDATE kanon.definitions SET release = 'forged'::regclass WHERE release = 'own_k'::regclass;
RESET ROLE;
ALTER TABLE forged OWNER TO kanon_owner;
GRANT SELECT, INSERT ON forged TO kanon_other;
SET ROLE kanon_other;
SELECT * FROM kanon.refresh('forged');
RESET ROLE;
-- Row security of the source: a full refresh sees what the owner sees, changes cannot be followed.
SET ROLE kanon_owner;
ALTER TABLE secret.staff ENABLE ROW LEVEL SECURITY;
ALTER TABLE secret.staff FORCE ROW LEVEL SECURITY;
CREATE POLICY young ON secret.staff USING (age < 40);
SELECT records = (SELECT count(*) FROM secret.staff) AS as_owner FROM kanon.refresh('staff_k');
SELECT * FROM kanon.refresh('staff_k', 'incremental');
RESET ROLE;
-- New releases are nobody's but their owner's.
SELECT relacl IS NULL OR NOT relacl::text LIKE '%{=r%' FROM pg_class WHERE oid = 'watched_k'::regclass;
SET ROLE kanon_analyst;
SELECT count(*) FROM watched_k;
RESET ROLE;
