# Readers see the old release until the new one commits, and never wait; refreshes wait for each other.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
$node->safe_psql('postgres', q{
CREATE EXTENSION kanon;
CREATE TABLE people (id integer PRIMARY KEY, age integer, born date, version integer);
INSERT INTO people SELECT i, i * 7 % 90, date '1930-01-01' + i * 13 % 30000, 1 FROM generate_series(1, 3000) i;
SELECT kanon.define('people_k', 'people', k => 5, quasi => '{age,born}', sensitive => '{version}', algorithm => 'mondrian', report => false);
SELECT kanon.refresh('people_k');
});

# session(): psql that takes lines and answers each with a mark.
sub session
{
	my %s = (in => '', out => '', err => '');
	$s{run} = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', '-' ], '<', \$s{in}, '>', \$s{out}, '2>', \$s{err},
		IPC::Run::timeout(120));
	return \%s;
}
my $mark = 0;
sub ask
{
	my ($s, $sql) = @_;
	$mark++;
	$s->{out} = '';
	$s->{in} .= "$sql\n\\echo done$mark\n";
	$s->{run}->pump until $s->{out} =~ s/done$mark\n//;
	return $s->{out} =~ s/\n$//r;
}

my ($writer, $reader, $old) = (session(), session(), session());
ask($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ;');
is(ask($old, 'SELECT count(*), min(version), max(version) FROM people_k;'), '3000|1|1', 'an old snapshot');
ask($writer, "UPDATE people SET version = 2; DELETE FROM people WHERE id > 2900;");
ask($writer, 'BEGIN;');
is(ask($writer, "SELECT records FROM kanon.refresh('people_k');"), '2900', 'a refresh that is not committed');
is(ask($reader, "SET lock_timeout = '2s'; SELECT count(*), min(version), max(version) FROM people_k;"), '3000|1|1', 'readers see the old release at once');
is(ask($writer, 'SELECT count(*), max(version) FROM people_k;'), '2900|2', 'its own transaction sees the new one');
# Another refresh waits, and sees what the first one did.
my $second = session();
$second->{in} .= "SELECT number, records FROM kanon.refresh('people_k');\n\\echo done\n";
$second->{run}->pump_nb;
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND relation = 'people_k'::regclass});
ask($writer, 'COMMIT;');
$second->{run}->pump until $second->{out} =~ /done\n/;
is($second->{out}, "3|2900\ndone\n", 'refreshes are one after the other');
is(ask($reader, 'SELECT count(*), min(version), max(version) FROM people_k;'), '2900|2|2', 'readers see the new release');
is(ask($old, 'SELECT count(*), min(version), max(version) FROM people_k;'), '3000|1|1', 'and the old snapshot the old one');
ask($old, 'COMMIT;');
# Rolled back, nothing has happened.
ask($writer, "BEGIN; UPDATE people SET version = 3; SELECT count(*) FROM kanon.refresh('people_k'); ROLLBACK;");
is(ask($reader, 'SELECT max(version) FROM people_k;'), '2', 'a refresh that was rolled back');
# Changes while a refresh by change runs come with the next one.
$node->safe_psql('postgres', q{SELECT kanon.define('changes_k', 'people', k => 5, quasi => '{age,born}', sensitive => '{version}', incremental => true, joint_k => 0);
SELECT kanon.refresh('changes_k', 'incremental')});
ask($reader, 'BEGIN; INSERT INTO people VALUES (5000, 30, current_date, 9);');
is(ask($writer, "SELECT records FROM kanon.refresh('changes_k', 'incremental');"), '2900', 'what is not committed is not seen');
ask($reader, 'COMMIT;');
is(ask($writer, "SELECT records FROM kanon.refresh('changes_k', 'incremental');"), '2901', 'and comes next time');
is($node->safe_psql('postgres', 'SELECT count(*) FROM kanon.changes'), '0', 'nothing is left to do');
# A refresh that waited for another definition does not go by the old one; one that waited for the first state has it.
ask($writer, "BEGIN; SELECT kanon.alter('people_k', k => 6);");
my $third = session();
$third->{in} .= "SELECT count(*) FROM kanon.refresh('people_k');\n\\echo done\n";
$third->{run}->pump_nb;
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND relation = 'people_k'::regclass});
ask($writer, 'COMMIT;');
$third->{run}->pump until $third->{out} =~ /done\n/;
like($third->{err}, qr/the definition was changed while the refresh waited/, 'another definition is noticed');
$node->safe_psql('postgres', q{SELECT kanon.define('late_k', 'people', k => 5, quasi => '{age}', incremental => true)});
ask($writer, "BEGIN; SELECT count(*) FROM kanon.refresh('late_k', 'incremental');");
$third->{in} .= "SELECT kind FROM kanon.refresh('late_k', 'incremental');\n\\echo done\n";
$third->{out} = '';
$third->{run}->pump_nb;
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND relation = 'late_k'::regclass});
ask($writer, 'COMMIT;');
$third->{run}->pump until $third->{out} =~ /done\n/;
is($third->{out}, "incremental\ndone\n", 'so is the state that another refresh has made');
for my $s ($writer, $reader, $old, $second, $third) { $s->{in} .= "\\q\n"; $s->{run}->finish; }
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no crash');
$node->stop;
done_testing();
