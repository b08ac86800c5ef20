# Killed at random moments, backend or server: the release is the old or the new one, never below k, and no change is lost
# or applied twice. Two releases are refreshed fully or by changes of all rows; the third by change alone, between inserts,
# updates and deletes. Each row of its source has a mark that no other row ever had, and each transaction that changes the
# source leaves the digest of all marks: the release must have one of these digests, and never an older one than before.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use List::Util;
use Test::More;
use Time::HiRes qw(time usleep);

my $kills = $ENV{KANON_KILLS} // 4;
my $seed = $ENV{KANON_SEED} // int(time);
srand($seed);
note("seed $seed, $kills kills");
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "restart_after_crash = on\nmaintenance_work_mem = '256MB'");
$node->start;
$node->safe_psql('postgres', q{
CREATE EXTENSION kanon;
CREATE TABLE people (id integer PRIMARY KEY, age integer, born date, version integer);
INSERT INTO people SELECT i, i * 7 % 90, date '1930-01-01' + i * 13 % 30000, 0 FROM generate_series(1, 8000) i;
SELECT kanon.define('full_k', 'people', k => 5, quasi => '{age,born}', sensitive => '{version}', algorithm => 'kmember', report => false);
SELECT kanon.define('state_k', 'people', k => 5, quasi => '{age,born}', sensitive => '{version}', algorithm => 'kmember', report => false, incremental => true, joint_k => 0);
SELECT kanon.refresh('full_k'), kanon.refresh('state_k', 'incremental');
CREATE TABLE few (id integer PRIMARY KEY, age integer, born date, mark bigint);
CREATE SEQUENCE marks;
INSERT INTO few SELECT id, age, born, nextval('marks') FROM people WHERE id <= 5000;
CREATE TABLE history (step serial PRIMARY KEY, digest text);
CREATE FUNCTION digest(relation regclass, OUT digest text) LANGUAGE plpgsql AS $$
BEGIN EXECUTE format('SELECT count(*) || md5(string_agg(mark::text, %L ORDER BY mark)) FROM %s', ' ', relation) INTO digest; END $$;
-- one transaction: rows come, change, go, and change twice
CREATE PROCEDURE change_few() LANGUAGE plpgsql AS $$
DECLARE r integer := 1 + (SELECT max(step) FROM history); n integer := (SELECT max(id) FROM few);
BEGIN
  INSERT INTO few SELECT n + i, (i * r) % 90, date '1930-01-01' + (i * r * 13) % 30000, nextval('marks') FROM generate_series(1, 20) i;
  UPDATE few SET age = (age + r) % 90, mark = nextval('marks') WHERE id % 100 = r % 100;
  DELETE FROM few WHERE id IN (SELECT id FROM few WHERE id % 97 = r % 97 ORDER BY id LIMIT 20);
  UPDATE few SET born = born + 1, mark = nextval('marks') WHERE id % 100 = r % 100;
  DELETE FROM few WHERE id = n + 1;
  INSERT INTO few VALUES (n + 1, r % 90, '1980-01-01', nextval('marks'));
  INSERT INTO history (digest) SELECT digest('few');
END $$;
INSERT INTO history (digest) SELECT digest('few');
SELECT kanon.define('few_k', 'few', k => 5, quasi => '{age,born}', sensitive => '{mark}', algorithm => 'kmember', report => false, incremental => true, joint_k => 0);
SELECT kanon.refresh('few_k', 'incremental');
});
# The refreshes of a round, in random order, so that each is the one that is killed. A release of changes takes a small part
# of the time, so there are several.
sub refreshes
{
	my @parts = ("SELECT kanon.refresh('few_k', 'incremental');\nCALL change_few();\n" x 3, "SELECT kanon.refresh('full_k');\n", "SELECT kanon.refresh('state_k', 'incremental');\n");
	return join '', List::Util::shuffle(@parts);
}
$node->safe_psql('postgres', 'UPDATE people SET age = (age + id) % 90; CALL change_few()');
my $begin = time;
$node->safe_psql('postgres', refreshes());
my $span = time - $begin;
my $version = $node->safe_psql('postgres', 'SELECT min(version) FROM full_k');

sub come_back
{
	for (1 .. 300)
	{
		return if $node->psql('postgres', 'SELECT 1') == 0;
		usleep(100_000);
	}
	BAIL_OUT('the server did not come back');
}

# One release: one version, all of its rows, k in every class.
sub whole
{
	my ($release) = @_;
	return $node->safe_psql('postgres', "SELECT min(version), max(version) - min(version), (SELECT min(n) >= 5 FROM (SELECT count(*) AS n FROM $release GROUP BY age, born) c), count(*) FROM $release");
}

my ($step, %new) = (1);
for my $round (1 .. $kills)
{
	my $next = $round;
	$node->safe_psql('postgres', "UPDATE people SET version = $next, age = (age + id) % 90 WHERE id % 3 = $round % 3 OR true");
	$node->safe_psql('postgres', 'CALL change_few()');
	my ($in, $out, $err) = ("SELECT pg_backend_pid();\n" . refreshes(), '', '');
	my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', '-' ], '<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(180));
	$run->pump until $out =~ /^(\d+)\n/;
	my $pid = $1;
	usleep(int(rand($span * 1.1) * 1e6));
	if ($round % 2)
	{
		kill 9, $pid;
	}
	else
	{
		$node->stop('immediate');
		$node->start;
	}
	eval { $run->finish };
	come_back();
	for my $release ('full_k', 'state_k')
	{
		my ($least, $spread, $k, $rows) = split /\|/, whole($release);
		$new{$release} += $least == $next;
		ok($spread == 0 && $least <= $next && $k eq 't' && $rows == 8000, "$release after kill $round is whole: version $least of $next");
	}
	my ($at, $few) = split /\|/, $node->safe_psql('postgres', "SELECT (SELECT max(step) FROM history WHERE digest = digest('few_k')), (SELECT min(n) >= 5 FROM (SELECT count(*) AS n FROM few_k GROUP BY age, born) c)");
	ok($at ne '' && $at >= $step && $few eq 't', "few_k after kill $round is one that was committed, and not an older one");
	$new{few_k} += $at ne $step;
	$step = $at if $at ne '';
}
note("new after a kill: " . join ", ", map { "$_ $new{$_} times" } sort keys %new);
is($node->safe_psql('postgres', "SELECT records FROM kanon.refresh('state_k', 'incremental')"), '8000', 'the state works on');
is($node->safe_psql('postgres', "SELECT kind FROM kanon.refresh('few_k', 'incremental')"), 'incremental', 'and so do releases of changes');
is($node->safe_psql('postgres', "SELECT digest('few_k') = digest('few'), digest('few') = (SELECT digest FROM history ORDER BY step DESC LIMIT 1)"), 't|t', 'which have all of them, once');
is($node->safe_psql('postgres', 'SELECT count(*) FROM kanon.changes'), '0', 'with all changes');
is((split /\|/, whole('state_k'))[0], $kills, 'and has the last version');
cmp_ok($node->safe_psql('postgres', "SELECT releases FROM kanon.audit('state_k')"), '>=', 2, 'the audit reads it');
$node->stop;
done_testing();
