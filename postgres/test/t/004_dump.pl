# Dump and restore carry definitions, releases, states and labels; a new version is a script away.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nsession_preload_libraries = 'kanon'");
$node->start;
$node->safe_psql('postgres', q{
CREATE EXTENSION kanon;
CREATE SCHEMA clinic;
CREATE ROLE analyst;
CREATE TABLE clinic.people (id integer PRIMARY KEY, age integer, job text, disease text);
INSERT INTO clinic.people SELECT i, i * 7 % 90, 'j' || i % 5, 'd' || i % 4 FROM generate_series(1, 300) i;
CREATE TABLE clinic.jobs AS SELECT 'j' || i AS leaf, 'J' || i % 2 AS parent FROM generate_series(0, 4) i;
SECURITY LABEL FOR kanon ON COLUMN clinic.people.disease IS 'sensitive';
SELECT kanon.define('clinic.people_k', 'clinic.people', k => 5, quasi => '{age,job}', taxonomies => '{"job": "clinic.jobs"}', incremental => true, algorithm => 'mondrian');
SELECT kanon.refresh('clinic.people_k', 'incremental');
GRANT USAGE ON SCHEMA clinic TO analyst; GRANT SELECT ON clinic.people_k TO analyst;
INSERT INTO clinic.people VALUES (301, 40, 'j1', 'd1');
CREATE DATABASE copy;
});
my $file = PostgreSQL::Test::Utils::tempdir() . '/dump';
$node->command_ok([ 'pg_dump', '-Fc', '-f', $file, $node->connstr('postgres') ], 'dumped');
# In parallel, tables come in any order.
$node->command_ok([ 'pg_restore', '--exit-on-error', '-j2', '-d', $node->connstr('copy'), $file ], 'restored');
my ($refused, undef, $why) = $node->psql('copy', q{SELECT * FROM kanon.refresh('clinic.people_k')});
like($why, qr/a full refresh would forget the releases that joint_k is about/, 'the guard of joint classes came along');
my $same = q{SELECT count(*), sum(hashtext(r::text)) FROM clinic.people_k r};
is($node->safe_psql('copy', $same), $node->safe_psql('postgres', $same), 'the same release');
is($node->safe_psql('copy', q{SELECT has_table_privilege('analyst', 'clinic.people_k', 'SELECT')}), 't', 'the same grants');
is($node->safe_psql('copy', q{SELECT kind, records FROM kanon.refresh('clinic.people_k', 'incremental')}), 'incremental|300', 'the state and the notes came with it, and joint_k, which withholds the newcomer');
is($node->safe_psql('copy', q{SELECT releases FROM kanon.audit('clinic.people_k')}), '2', 'and what was released');
$node->safe_psql('copy', q{INSERT INTO clinic.people VALUES (302, 41, 'j2', 'd1')});
is($node->safe_psql('copy', 'SELECT count(*) FROM kanon.changes'), '1', 'changes are noted in the copy');
is($node->safe_psql('copy', q{SELECT number, records, withheld FROM kanon.refresh('clinic.people_k', 'incremental')}), '3|300|2', 'and applied');
$node->safe_psql('copy', 'ALTER TABLE clinic.people RENAME age TO years; ALTER TABLE clinic.people_k RENAME age TO years');
is($node->safe_psql('copy', q{SELECT withheld FROM kanon.refresh('clinic.people_k', 'incremental'); SELECT count(years) > 0 FROM clinic.people_k}), "2\nt",
	'new names of columns are followed there, too');

# A version is updated by a script: one that adds a function, as the next version would.
my $share = `pg_config --sharedir`;
chomp $share;
my $version = $node->safe_psql('postgres', q{SELECT extversion FROM pg_extension WHERE extname = 'kanon'});
my $extension = $ENV{TESTDIR} . '/../usr/share/postgresql/15/extension';
append_to_file("$extension/kanon--$version--99.0.sql", "CREATE FUNCTION kanon.next() RETURNS integer LANGUAGE sql AS 'SELECT 99';");
$node->safe_psql('postgres', q{ALTER EXTENSION kanon UPDATE TO '99.0'});
is($node->safe_psql('postgres', 'SELECT kanon.next()'), '99', 'updated');
is($node->safe_psql('postgres', q{SELECT records, withheld FROM kanon.refresh('clinic.people_k', 'incremental')}), '300|1', 'with its releases');
unlink("$extension/kanon--$version--99.0.sql");
# Dropping the extension leaves the releases, which are the users' own.
$node->safe_psql('postgres', 'DROP EXTENSION kanon CASCADE');
is($node->safe_psql('postgres', 'SELECT count(*) FROM clinic.people_k'), '300', 'a release outlives the extension');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
$node->stop;
done_testing();
