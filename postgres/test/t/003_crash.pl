# Killed at random moments, backend or server: the release is the old or the new one, never below k.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
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
SELECT kanon.define('state_k', 'people', k => 5, quasi => '{age,born}', sensitive => '{version}', algorithm => 'kmember', report => false, incremental => true);
SELECT kanon.refresh('full_k'), kanon.refresh('state_k', 'incremental');
});
my $begin = time;
$node->safe_psql('postgres', "SELECT kanon.refresh('full_k'), kanon.refresh('state_k', 'incremental')");
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

for my $round (1 .. $kills)
{
	my $next = $round;
	$node->safe_psql('postgres', "UPDATE people SET version = $next, age = (age + id) % 90 WHERE id % 3 = $round % 3 OR true");
	my ($in, $out, $err) = ("SELECT pg_backend_pid();\nSELECT kanon.refresh('full_k');\nSELECT kanon.refresh('state_k', 'incremental');\n", '', '');
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
		ok($spread == 0 && $least <= $next && $k eq 't' && $rows == 8000, "$release after kill $round is whole: version $least of $next");
	}
}
is($node->safe_psql('postgres', "SELECT records FROM kanon.refresh('state_k', 'incremental')"), '8000', 'the state works on');
is($node->safe_psql('postgres', 'SELECT count(*) FROM kanon.changes'), '0', 'with all changes');
is((split /\|/, whole('state_k'))[0], $kills, 'and has the last version');
cmp_ok($node->safe_psql('postgres', "SELECT releases FROM kanon.audit('state_k')"), '>=', 2, 'the audit reads it');
$node->stop;
done_testing();
