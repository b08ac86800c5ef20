# Cancelling, time limits, termination, progress: quickly, and without a trace.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "maintenance_work_mem = '1GB'\nfsync = off");
$node->start;
$node->safe_psql('postgres', q{
CREATE EXTENSION kanon;
CREATE TABLE people AS SELECT i AS id, (i * 7919 % 90)::integer AS age, date '1930-01-01' + (i * 104729 % 30000)::integer AS born, i * 31 % 977 AS street, 'd' || i % 9 AS disease
  FROM generate_series(1::bigint, 150000) i;
SELECT kanon.define('people_k', 'people', k => 10, quasi => '{age,born,street}', sensitive => '{disease}');
SELECT kanon.define('scan_k', 'people', k => 10, quasi => '{age,born,street}', algorithm => 'kmember', settings => '{"search": "scan"}', report => false);
SELECT kanon.define('small_k', 'people', k => 10, quasi => '{age}', algorithm => 'mondrian', report => false);
SELECT kanon.refresh('small_k');
});

# started(): a session that refreshes, and its process once the stage is reached.
sub started
{
	my ($stage, $options, $release) = (@_, 'people_k');
	my $session = $node->background_psql_like($options, "SELECT * FROM kanon.refresh('$release')");
	my $pid;
	for (1 .. 600)
	{
		$pid = $node->safe_psql('postgres', "SELECT pid FROM kanon.progress WHERE stage ~ '$stage' AND release = '$release'::regclass");
		last if $pid ne '';
		usleep(100_000); # nothing but the view tells of a stage
	}
	return ($session, $pid);
}

# A session of its own, because Cluster.pm of version 15 has none that runs in the background without a terminal.
sub PostgreSQL::Test::Cluster::background_psql_like
{
	my ($self, @commands) = @_;
	my %s = (out => '', err => '', in => '');
	$s{run} = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $self->connstr('postgres'), map { ('-c', $_) } @commands ],
		'<', \$s{in}, '>', \$s{out}, '2>', \$s{err}, IPC::Run::timeout(180));
	return \%s;
}

sub ended
{
	my ($session) = @_;
	$session->{run}->finish;
	return $session->{err};
}

my ($session, $pid) = started('grouping|refining|cutting', 'SET kanon.threads = 1');
isnt($pid, '', 'the view shows a refresh that groups');
is($node->safe_psql('postgres', 'SELECT datname, release, total IS NULL OR done <= total FROM kanon.progress'), 'postgres|people_k|t', 'with its figures');
# How soon it is heard, bench/postgres_cancel.py measures.
sub cancelled
{
	my ($what) = @_;
	kill 'INT', $pid;
	like(ended($session), qr/57014: canceling statement due to user request/, "$what: cancelled, as PostgreSQL says it");
}
cancelled('auto');
is($node->safe_psql('postgres', 'SELECT count(*) FROM kanon.progress'), '0', 'no progress is left');
is($node->safe_psql('postgres', 'SELECT count(*) FROM people_k'), '0', 'nothing was released');

# A scan takes as long for a record as the index for a thousand.
($session, $pid) = started('grouping|cutting', 'SET kanon.threads = 1', 'scan_k');
cancelled('kmember by scan');

(my $failed, my $out, my $err) = $node->psql('postgres', "SET statement_timeout = '700ms'; SELECT * FROM kanon.refresh('people_k')");
like($err, qr/canceling statement due to statement timeout/, 'a time limit ends it');

($session, $pid) = started('grouping|refining|cutting', 'SET kanon.threads = 3');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
like(ended($session), qr/57P01: terminating connection/, 'terminated, with threads');

# Who else looks sees that there is one, and not which.
$node->safe_psql('postgres', 'CREATE ROLE other LOGIN');
($session, $pid) = started('grouping|refining|cutting', 'SET kanon.threads = 1');
is($node->safe_psql('postgres', 'SELECT release IS NULL, stage IS NULL, pid > 0 FROM kanon.progress', extra_params => [ '-U', 'other' ]), 't|t|t',
	'other roles see no release');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
ended($session);
is($node->safe_psql('postgres', "SELECT records FROM kanon.refresh('small_k')"), '150000', 'the next refresh works');
# The same session, cancelled and used again: memory is given back.
my $memory = q{SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name LIKE 'kanon%'};
is($node->safe_psql('postgres', "SELECT count(*) FROM kanon.refresh('small_k'); $memory"), "1\n", 'no context is left');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
$node->stop;
done_testing();
